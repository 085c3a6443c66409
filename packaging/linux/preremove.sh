#!/bin/sh
# An upgrade keeps the agents: Debian names it "upgrade", rpm counts one remaining version.
case "$1" in
    upgrade | 1) exit 0 ;;
esac
if [ -d /run/systemd/system ]; then
    systemctl stop 'reelgauge-agent@*.service' || true
fi
