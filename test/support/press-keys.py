"""Runs a shell on a terminal, types what standard input says, and prints what the screen showed for each step.

Standard input: {"argv": [...], "env": {...}, "cwd": "...", "steps": [{"keys": "...", "until": "..."}]}.
"""
import json, os, pty, re, select, sys, time

ESCAPES = re.compile(rb"\x1b\[[0-9;?>=]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>]|\x1b\][^\x07]*\x07")
job = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(job["cwd"])
    os.execvpe(job["argv"][0], job["argv"], job["env"])


def shown(until):
    """Reads until the text is there and the screen is quiet."""
    screen, end, quiet = b"", time.monotonic() + 20, 0.15
    while time.monotonic() < end:
        if terminal in select.select([terminal], [], [], quiet)[0]:
            try:
                screen += os.read(terminal, 65536)
            except OSError:
                break
        elif until.encode() in ESCAPES.sub(b"", screen):
            break
    return ESCAPES.sub(b"", screen).decode(errors="replace")


screens = []
for step in job["steps"]:
    os.write(terminal, step["keys"].encode())
    screens.append(shown(step["until"]))
os.kill(pid, 9)
os.waitpid(pid, 0)
print(json.dumps(screens))
