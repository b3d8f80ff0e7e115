"""What the operators share."""

from . import settings


class Action:
    """Can be used while `usable(context)` says so; what goes wrong is said in the panel and as an error."""

    usable = None

    @classmethod
    def poll(cls, context):
        return cls.usable is None or cls.usable(context)

    def refuse(self, context, problem):
        settings.say_problem(context, problem)
        self.report({"ERROR"}, problem)
        return {"CANCELLED"}
