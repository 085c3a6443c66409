# Collects what 'reelgauge doctor --from DIR' reads, on Windows.
#
#   powershell -ExecutionPolicy Bypass -File collect.ps1 DIR
#
# It only looks: every command begins with Get-. It writes into DIR alone, which must not exist yet. Run it as an
# administrator where you can: some of it is for administrators alone.
param([Parameter(Mandatory = $true)][string]$Dir)

if (Test-Path -LiteralPath $Dir) {
    Write-Error "$Dir exists already; give a folder that does not"
    exit 2
}
$null = New-Item -ItemType Directory -Path $Dir

function Save([string]$Name, [scriptblock]$Ask) {
    $file = Join-Path $Dir ($Name -replace '%', '%25' -replace '/', '%2F')
    if (-not (Get-Command ($Name -split ' ')[0] -ErrorAction SilentlyContinue)) {
        Set-Content -LiteralPath "$file.why" -Value 'not there' -Encoding UTF8
        return
    }
    try {
        $text = & $Ask | Format-List * | Out-String -Width 4096
        Set-Content -LiteralPath $file -Value $text -Encoding UTF8
    } catch {
        Set-Content -LiteralPath "$file.why" -Value $_.Exception.Message -Encoding UTF8
    }
}

$ErrorActionPreference = 'Stop'
Save 'Get-CimInstance Win32_OperatingSystem' { Get-CimInstance Win32_OperatingSystem | Select-Object Caption, Version }
Save 'Get-NetAdapter' {
    Get-NetAdapter | Select-Object Name, Status, LinkSpeed, Speed, FullDuplex, InterfaceDescription, DriverProvider,
        DriverVersion, DriverDate
}
Save 'Get-NetAdapterAdvancedProperty' {
    Get-NetAdapterAdvancedProperty -AllProperties | Select-Object Name, RegistryKeyword, RegistryValue
}
Save 'Get-NetAdapterLso' { Get-NetAdapterLso | Select-Object Name, IPv4Enabled, IPv6Enabled }
Save 'Get-NetTCPSetting' { Get-NetTCPSetting | Select-Object SettingName, AutoTuningLevelLocal }
Save 'Get-SmbClientConfiguration' { Get-SmbClientConfiguration }
Save 'Get-SmbServerConfiguration' { Get-SmbServerConfiguration }
Save 'Get-SmbConnection' { Get-SmbConnection | Select-Object ServerName, ShareName, Dialect, Encrypted, Signed }
Save 'Get-SmbMultichannelConnection' {
    Get-SmbMultichannelConnection | Select-Object ServerName, ClientRdmaCapable, ServerRdmaCapable, Selected
}
