#!/bin/sh
# Signs a program or MSI in place, for `cargo xtask package --sign packaging/sign.sh`.
# usage: sign.sh windows|macos FILE
# Windows (Authenticode): AUTHENTICODE_PFX and AUTHENTICODE_PASSWORD, files with certificate and password.
# macOS (Developer ID): APPLE_P12 and APPLE_PASSWORD; then notarise, see docs/install.md.
# A system without its certificate stays unsigned.
set -eu
case "$1" in
    windows)
        [ -s "${AUTHENTICODE_PFX:-}" ] || exit 0
        osslsigncode sign -pkcs12 "$AUTHENTICODE_PFX" -readpass "$AUTHENTICODE_PASSWORD" -h sha256 \
            -n Reelgauge ${AUTHENTICODE_TIMESTAMP:+-ts "$AUTHENTICODE_TIMESTAMP"} \
            -in "$2" -out "$2.signed"
        mv "$2.signed" "$2"
        ;;
    macos)
        [ -s "${APPLE_P12:-}" ] || exit 0
        rcodesign sign --p12-file "$APPLE_P12" --p12-password-file "$APPLE_PASSWORD" \
            --code-signature-flags runtime "$2"
        ;;
esac
