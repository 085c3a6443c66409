class Reelgauge < Formula
  desc "Measures shared storage for video"
  homepage "@DOWNLOADS@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    url "@DOWNLOADS@/reelgauge-@VERSION@-universal-macos.tar.gz"
    sha256 "@SHA256 reelgauge-@VERSION@-universal-macos.tar.gz@"
  end
  on_linux do
    on_intel do
      url "@DOWNLOADS@/reelgauge-@VERSION@-x86_64-linux.tar.gz"
      sha256 "@SHA256 reelgauge-@VERSION@-x86_64-linux.tar.gz@"
    end
    on_arm do
      url "@DOWNLOADS@/reelgauge-@VERSION@-aarch64-linux.tar.gz"
      sha256 "@SHA256 reelgauge-@VERSION@-aarch64-linux.tar.gz@"
    end
  end

  def install
    bin.install "reelgauge"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/reelgauge.bash" => "reelgauge"
    zsh_completion.install "completions/_reelgauge"
    fish_completion.install "completions/reelgauge.fish"
    doc.install Dir["licences/*"]
  end

  test do
    system bin/"reelgauge", "mix", testpath, "--duration", "2s", "--file-size", "16MiB"
  end
end
