"""What can go wrong. Every error of this package is an Error."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional


class Error(Exception):
    """Any error of this package."""


class StartError(Error):
    """No worker could be started; the text has what a worker said, with its traceback."""


class EngineClosed(Error):
    """The engine has not been started, or has been shut down."""


class Refused(Error):
    """A job was not accepted. `ids` are the jobs of the same submit_many that were, before it."""

    def __init__(self, text: str, ids: Optional[List[int]] = None) -> None:
        super().__init__(text)
        self.ids = ids or []


class QueueFull(Refused):
    """As many jobs wait as `job_queue` allows: poll, and try again."""


class ArenaFull(Refused):
    """There is no room for the payload until other jobs have ended."""


class PayloadTooLarge(Refused):
    """The payload is larger than `max_payload`."""


class UnknownHandler(Refused):
    """No worker has a handler of that name."""


class JobError(Error):
    """A job did not end well. `traceback` is the worker's, if it had one."""

    def __init__(self, text: str, traceback: str = "") -> None:
        super().__init__(text, traceback)
        self.text = text
        self.traceback = traceback

    def __str__(self) -> str:
        return f"{self.text}\n\n{self.traceback.rstrip()}" if self.traceback else self.text


class RemoteError(JobError):
    """The handler raised what could not be sent: its text and traceback are here."""


class RemoteTraceback(Exception):
    """The cause of an exception that a handler raised: where that was, in the worker."""

    def __init__(self, traceback: str) -> None:
        super().__init__(traceback)
        self.traceback = traceback

    def __str__(self) -> str:
        return "\n" + self.traceback.rstrip()


class Cancelled(JobError):
    """The job was cancelled."""


class DeadlinePassed(JobError):
    """The job had not ended at its deadline."""


class WorkerLost(JobError):
    """The worker died while it ran the job. `poison`: it was the second worker that this job took with it."""

    poison = False
