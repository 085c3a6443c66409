#!/bin/sh
# Records the traces beside this script again, from real programs on media that it makes first.
#
#   catalogue/traces/record.sh [NAME...]      all, or these
#
# Needs Linux with FUSE, about 3 GB in $WORK (default: a new directory in /tmp, removed at the end), and:
# ffmpeg melt rsync imagemagick libreoffice-writer python3. $REELGAUGE is the binary (default: reelgauge in
# PATH). What was recorded depends on the versions of these programs; each trace's "about" names them. After
# recording, `cargo test -p reelgauge-trace` says whether the list in crates/trace/src/library/shipped.rs fits.
#
# Contents are never in a trace: sizes, offsets and times are. Media are small, so that traces are; what a
# program does to a file does not depend on how long it is.
set -eu

REELGAUGE=${REELGAUGE:-reelgauge}
HERE=$(cd "$(dirname "$0")" && pwd)
WANTED=" $* "
PATH=/usr/bin:/bin:$PATH
if [ -z "${WORK:-}" ]; then
    WORK=$(mktemp -d)
    trap 'rm -rf "$WORK"' EXIT
fi

wanted() { [ "$WANTED" = "  " ] || case "$WANTED" in *" $1 "*) true ;; *) false ;; esac; }

# Quiet, and deterministic: one thread each for filters.
ff() { ffmpeg -nostdin -hide_banner -loglevel error -y "$@"; }

ffmpeg_version() { ffmpeg -version | awk 'NR == 1 { print "ffmpeg " $3 }'; }
melt_version() { melt -version 2>&1 | awk 'NR == 1 { print "melt " $2 }'; }

# record NAME ABOUT COMMAND...: runs the command in $WORK/NAME/media and keeps what it does there.
record() {
    name=$1 about=$2
    shift 2
    echo "== $name"
    rm -rf "$WORK/traces"
    # The trace's own files are outside of what is recorded, and no absolute path gets into the command.
    (cd "$WORK/$name/media" && sync && drop_caches && "$REELGAUGE" record . --quiet --name "$name" --out "$WORK/traces" -- "$@")
    rm -rf "${HERE:?}/$name"
    cp -R "$WORK/traces/$name" "$HERE/$name"
    python3 - "$HERE/$name/trace.json" "$about" <<'PYTHON'
import json, sys
path, about = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    info = json.load(file)
info["about"] = about
with open(path, "w", encoding="utf-8") as file:
    json.dump(info, file, indent=2, ensure_ascii=False)
    file.write("\n")
PYTHON
    find "$HERE/$name" -type f -exec ls -l {} +
    rm -rf "${WORK:?}/$name"
}

# Durations are the storage's, not the cache's, where we may see to that.
drop_caches() { [ ! -w /proc/sys/vm/drop_caches ] || echo 3 >/proc/sys/vm/drop_caches; }

# media NAME: an empty directory for the media of a trace.
media() {
    rm -rf "${WORK:?}/$1"
    mkdir -p "$WORK/$1/media"
    cd "$WORK/$1/media"
}

# A moving picture with noise, so that encoders have to work: WIDTHxHEIGHT SECONDS SEED.
picture() { echo "testsrc2=size=$1:rate=25:duration=$2,noise=alls=12:all_seed=$3:allf=t"; }
tone() { echo "sine=frequency=$1:sample_rate=48000:duration=$2"; }

if wanted proxy-ingest; then
    media proxy-ingest
    mkdir card proxy
    for clip in 1 2 3; do
        ff -f lavfi -i "$(picture 1920x1080 4 $clip)" -f lavfi -i "$(tone 440 4)" \
            -c:v mpeg2video -b:v 50M -minrate 50M -maxrate 50M -bufsize 20M -g 1 -c:a pcm_s16le "card/clip-$clip.mxf"
    done
    record proxy-ingest "Three camera clips (MPEG-2 intra, 50 Mbit/s, MXF) are made into H.264 proxies. $(ffmpeg_version)" \
        sh -c 'for clip in 1 2 3; do ffmpeg -nostdin -hide_banner -loglevel error -i card/clip-$clip.mxf -vf scale=960:540 -c:v libx264 -preset ultrafast -b:v 3M -c:a aac proxy/clip-$clip.mp4; done'
fi

# edit NAME CODEC...: three clips, a timeline of two tracks with cross fades, and its render.
edit() {
    name=$1 what=$2 render=$3
    shift 3
    media "$name"
    for clip in a b c; do
        ff -f lavfi -i "$(picture 1920x1080 4 7)" -f lavfi -i "$(tone 330 4)" "$@" -c:a pcm_s16le "clip-$clip.mov"
    done
    # shellcheck disable=SC2086 # the render's settings are words
    record "$name" "$what $(melt_version)" melt -silent -profile atsc_1080p_25 \
        -track clip-a.mov in=0 out=74 clip-c.mov in=10 out=84 -track -blank 49 clip-b.mov in=5 out=79 \
        -transition luma in=50 out=74 a_track=0 b_track=1 -transition mix in=50 out=74 a_track=0 b_track=1 \
        -consumer avformat:edit.mov $render acodec=pcm_s16le real_time=-1
}

if wanted prores-edit; then
    edit prores-edit "A timeline of two tracks of ProRes 422 clips with a cross fade is rendered to ProRes." \
        "vcodec=prores_aw vprofile=2 pix_fmt=yuv422p10le" -c:v prores_aw -profile:v 2 -pix_fmt yuv422p10le
fi

if wanted dnxhr-edit; then
    edit dnxhr-edit "A timeline of two tracks of DNxHR SQ clips with a cross fade is rendered to DNxHR." \
        "vcodec=dnxhd vprofile=dnxhr_sq pix_fmt=yuv422p" -c:v dnxhd -profile:v dnxhr_sq -pix_fmt yuv422p
fi

if wanted dpx-playback; then
    media dpx-playback
    mkdir dpx
    ff -f lavfi -i "$(picture 1920x1080 2 3)" -pix_fmt gbrp10le dpx/frame-%06d.dpx
    record dpx-playback "Two seconds of a DPX sequence (10 bit, 1920x1080) are played in real time. $(ffmpeg_version)" \
        ffmpeg -nostdin -hide_banner -loglevel error -re -framerate 25 -i dpx/frame-%06d.dpx -f null -
fi

if wanted exr-playback; then
    media exr-playback
    mkdir exr
    ff -f lavfi -i "$(picture 1920x1080 2 4)" -vf format=gbrpf32le -compression none -format half exr/frame-%06d.exr
    record exr-playback "Two seconds of an OpenEXR sequence (half float, 1920x1080) are played in real time. $(ffmpeg_version)" \
        ffmpeg -nostdin -hide_banner -loglevel error -re -framerate 25 -i exr/frame-%06d.exr -f null -
fi

# A programme to be packaged or written again: 60 s at 8 Mbit/s.
programme() {
    ff -f lavfi -i "$(picture 1280x720 60 5)" -f lavfi -i "$(tone 220 60)" -c:v libx264 -preset ultrafast \
        -b:v 8M -maxrate 8M -bufsize 8M -g 50 -c:a aac "$1"
}

if wanted hls-packaging; then
    media hls-packaging
    mkdir hls
    programme programme.mp4
    record hls-packaging "A programme of a minute is packaged for HLS in segments of four seconds. $(ffmpeg_version)" \
        ffmpeg -nostdin -hide_banner -loglevel error -i programme.mp4 -c copy -hls_time 4 -hls_list_size 0 hls/programme.m3u8
fi

if wanted faststart-rewrite; then
    media faststart-rewrite
    programme programme.ts
    record faststart-rewrite "A transport stream becomes an MP4 whose index is moved to the front: the file is shifted in place. $(ffmpeg_version)" \
        ffmpeg -nostdin -hide_banner -loglevel error -i programme.ts -c copy -movflags +faststart programme.mp4
fi

if wanted photo-browsing; then
    media photo-browsing
    mkdir album thumbnails
    for photo in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16; do
        ff -f lavfi -i "$(picture 4000x3000 1 1$photo)" -frames:v 1 -q:v 3 "album/photo-$photo.jpg"
    done
    record photo-browsing "Sixteen photos: all are identified, thumbnails are made, and six are looked at a second apart. ImageMagick $(identify -version | awk 'NR == 1 { print $3 }')" \
        sh -c 'identify -ping album/*.jpg >/dev/null && mogrify -path thumbnails -define jpeg:size=320x240 -thumbnail 160x120 album/*.jpg && for photo in 03 04 05 09 10 16; do convert album/photo-$photo.jpg null: && sleep 1; done'
fi

if wanted office-session; then
    media office-session
    mkdir documents letters
    python3 - <<'PYTHON'
import random
draw = random.Random(1)
words = [f"word{n}" for n in range(2000)]
for document in range(6):
    with open(f"documents/report-{document}.txt", "w", encoding="utf-8") as file:
        for _ in range(50 + 150 * document):
            file.write(" ".join(draw.choice(words) for _ in range(60)) + "\n\n")
PYTHON
    office="soffice -env:UserInstallation=file://$WORK/office --headless"
    # Its settings are made before, outside of what is recorded.
    $office --convert-to odt --outdir "$WORK/office-first" documents/report-0.txt >/dev/null
    OFFICE=$office
    export OFFICE
    record office-session "Six texts are opened and saved as documents, those as Word files, and three of them as PDF. $(soffice --version | awk 'NR == 1 { print $1, $2 }')" \
        sh -c '$OFFICE --convert-to odt --outdir letters documents/*.txt && $OFFICE --convert-to docx --outdir letters letters/*.odt && $OFFICE --convert-to pdf --outdir letters letters/report-3.docx letters/report-4.docx letters/report-5.docx'
fi

# A project: many small files, some media.
project() {
    python3 - <<'PYTHON'
import os, random
draw = random.Random(2)
for folder in range(16):
    os.makedirs(f"project/part-{folder % 6}/take-{folder}", exist_ok=True)
    for number in range(25):
        size = min(int(draw.lognormvariate(9.5, 1.8)), 4_000_000)
        with open(f"project/part-{folder % 6}/take-{folder}/item-{number:02}.dat", "wb") as file:
            file.write(draw.randbytes(size))
for clip in range(3):
    with open(f"project/clip-{clip}.mov", "wb") as file:
        file.write(draw.randbytes(30_000_000))
PYTHON
}

if wanted rsync-project; then
    media rsync-project
    project
    record rsync-project "A project tree of 403 files is copied with rsync -a, then compared again. rsync $(rsync --version | awk 'NR == 1 { print $3 }')" \
        sh -c 'rsync -a project/ backup/ && rsync -a project/ backup/'
fi

if wanted cp-project; then
    media cp-project
    project
    record cp-project "A project tree of 403 files is copied with cp -a, which lets the system copy. $(cp --version | awk 'NR == 1 { print $3, $4, $1 }')" \
        cp -a project copy
fi
