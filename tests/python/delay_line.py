"""Joins two new TAP devices: what goes into one comes out of the other after a delay, unless it is lost.

delay_line.py FIRST SECOND DELAY_US LOST_OF_A_THOUSAND

The devices may be moved to other network namespaces afterwards. Packets keep their order. From SIGUSR1 on
packets that are longer than Ethernet's usual ones are swallowed, from SIGUSR2 on all of them.
"""

import collections
import fcntl
import os
import random
import select
import signal
import struct
import sys
import time

SET_INTERFACE = 0x400454CA
TAP_WITHOUT_HEADER = 0x0002 | 0x1000
LONGEST = 16384
USUAL = 1514


def tap(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, SET_INTERFACE, struct.pack("16sH22x", name.encode(), TAP_WITHOUT_HEADER))
    return device


def main():
    ends = [tap(name) for name in sys.argv[1:3]]
    delay_ns = int(sys.argv[3]) * 1000
    lost = int(sys.argv[4]) / 1000
    random.seed(7)
    taken = [LONGEST]
    signal.signal(signal.SIGUSR1, lambda *_: taken.__setitem__(0, USUAL))
    signal.signal(signal.SIGUSR2, lambda *_: taken.__setitem__(0, 0))
    other = {ends[0]: ends[1], ends[1]: ends[0]}
    waiting = collections.deque()
    print("up", flush=True)
    while True:
        now_ns = time.monotonic_ns()
        while waiting and waiting[0][0] <= now_ns:
            _, to, packet = waiting.popleft()
            try:
                os.write(to, packet)
            except OSError:
                pass  # Its queue is full, or it is down: gone, as on a wire.
        patience_s = max(waiting[0][0] - now_ns, 0) / 1e9 if waiting else None
        for end in select.select(ends, [], [], patience_s)[0]:
            for _ in range(64):
                try:
                    packet = os.read(end, LONGEST)
                except OSError:
                    break
                if len(packet) <= taken[0] and random.random() >= lost:
                    waiting.append((time.monotonic_ns() + delay_ns, other[end], packet))


main()
