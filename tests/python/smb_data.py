"""Carries reads and writes over SMB: the data path of the bed `samba`. Samba's libsmbclient, in user space.

smb_data.py URL

Takes requests on standard input and answers on standard output, one after the other. A request is its kind
(`r` or `w`), offset, length, the number of the file on the server's disk, the length of a path, the path, and
what is to be written. An answer is how many bytes came or went, or a negative number of `errno`; then what was
read. A server that lets its client go is come back to.
"""

import errno
import os
import struct
import sys
import time

import smbc

REQUEST = struct.Struct("<cQIQI")
ANSWER = struct.Struct("<i")
TRIES = 40


class Share:
    def __init__(self, url):
        self.url = url
        self.connect()

    def connect(self):
        self.context = smbc.Context(auth_fn=lambda *_: ("WORKGROUP", "root", "reelgauge"))
        self.context.timeout = 20000
        self.files = {}

    def file(self, path, number):
        """Another file that has taken the path is another file."""
        if self.files.get(path, (None, None))[0] != number:
            self.files[path] = (number, self.context.open(self.url + "/" + path, os.O_RDWR))
        return self.files[path][1]

    def do(self, kind, path, number, offset, length, data):
        file = self.file(path, number)
        file.lseek(offset)
        if kind == b"w":
            return file.write(data), b""
        read = file.read(length)
        return len(read), read


def whole(source, length):
    data = source.read(length)
    if len(data) < length:
        sys.exit(0)
    return data


def main():
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    share = Share(sys.argv[1])
    while True:
        kind, offset, length, number, path_length = REQUEST.unpack(whole(source, REQUEST.size))
        path = whole(source, path_length).decode()
        data = whole(source, length) if kind == b"w" else b""
        for left in range(TRIES, 0, -1):
            try:
                done, read = share.do(kind, path, number, offset, length, data)
                break
            except Exception as error:
                code = getattr(error, "errno", None) or (error.args or [None])[0]
                done, read = -(code if isinstance(code, int) and code > 0 else errno.EIO), b""
                print(f"{path}: {error}", file=sys.stderr, flush=True)
                if left > 1:
                    time.sleep(0.2)
                    share.connect()
        sink.write(ANSWER.pack(done))
        sink.write(read)
        sink.flush()


main()
