"""Writes a file over SMB as a client does that announces its size with single bytes ahead of the data.

64 KiB at a time; before each, single bytes at every multiple of SPACING up to 15 MiB ahead. With a SPACING of
0 the data alone. The client is Samba's libsmbclient, in user space, without a cache.

Usage: smb_hints.py URL TOTAL SPACING
"""

import os
import sys

import smbc

BLOCK, AHEAD = 64 << 10, 15 << 20


def main():
    url, total, spacing = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    # A user whom the server does not know is its guest.
    context = smbc.Context(auth_fn=lambda *_: ("WORKGROUP", "somebody", ""))
    file = context.open(url, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o644)
    block, hint = os.urandom(BLOCK), spacing
    for at in range(0, total, BLOCK):
        while spacing and hint <= at + AHEAD and hint < total:
            file.lseek(hint)
            assert file.write(b"\0") == 1
            hint += spacing
        file.lseek(at)
        assert file.write(block) == BLOCK
    file.close()


main()
