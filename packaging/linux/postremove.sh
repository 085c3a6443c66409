#!/bin/sh
# Removes the links of enabled agents, so that nothing refers to a removed service.
case "$1" in
    upgrade | 1) exit 0 ;;
esac
rm -f /etc/systemd/system/multi-user.target.wants/reelgauge-agent@*.service
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
fi
