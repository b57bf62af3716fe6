"""Runs a program at a terminal of its own and types one line for each argument behind `--`; prints what it wrote.
`--columns N` in front of the program: how wide the terminal says it is."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

QUIET_SECONDS = 0.5

split = sys.argv.index("--")
command, answers = sys.argv[1:split], sys.argv[split + 1:]
columns = None
if command[0] == "--columns":
    columns, command = int(command[1]), command[2:]
pid, terminal = pty.fork()
if pid == 0:
    if columns is not None:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(command[0], command)
written = b""
while True:
    ready, _, _ = select.select([terminal], [], [], QUIET_SECONDS if answers else 20)
    if ready:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the program has gone
            break
        if not part:
            break
        written += part
    elif answers:
        os.write(terminal, (answers.pop(0) + "\n").encode())
    else:
        break
_, status = os.waitpid(pid, 0)
sys.stdout.write(written.decode().replace("\r", ""))
sys.exit(os.waitstatus_to_exitcode(status))
