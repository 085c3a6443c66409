"""Writes zip files and wheels that have the same bytes whenever they are written.

Usage: archive.py zip OUT FOLDER            packs FOLDER, with its name
       archive.py wheel OUT FOLDER TAG      packs FOLDER as a wheel; TAG: py3-none-PLATFORM

Times come from SOURCE_DATE_EPOCH, the level of compression from LEVEL. A wheel gets its list of files (RECORD) here.
"""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile


def entries(folder):
    """The files of a folder, sorted, each with its name from there."""
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.is_file():
            yield path, path.relative_to(folder).as_posix()


def add(archive, name, data, executable):
    moment = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))
    info = zipfile.ZipInfo(name, moment[:6])
    info.create_system = 3
    info.external_attr = (0o100755 if executable else 0o100644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data, compresslevel=int(os.environ["LEVEL"]))


def pack(out, folder, prefix):
    """Packs a folder and returns the lines of a wheel's RECORD."""
    record = []
    with zipfile.ZipFile(out, "w") as archive:
        for path, name in entries(folder):
            data = path.read_bytes()
            add(archive, prefix + name, data, os.access(path, os.X_OK) and path.stat().st_mode & 0o100)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record.append(f"{name},sha256={digest},{len(data)}\n")
    return record


def wheel(out, folder, tag):
    (info,) = folder.glob("*.dist-info")
    python, interface, platforms = tag.split("-")
    tags = "".join(f"Tag: {python}-{interface}-{one}\n" for one in platforms.split("."))
    text = f"Wheel-Version: 1.0\nGenerator: reelgauge\nRoot-Is-Purelib: false\n{tags}"
    (info / "WHEEL").write_text(text)
    record = pack(out, folder, "")
    name = f"{info.name}/RECORD"
    with zipfile.ZipFile(out, "a") as archive:
        add(archive, name, "".join(record) + f"{name},,\n", False)


def main():
    kind, out, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    if kind == "zip":
        pack(out, folder, folder.name + "/")
    elif kind == "wheel":
        wheel(out, folder, sys.argv[4])
    else:
        sys.exit(f"unknown kind {kind}")


main()
