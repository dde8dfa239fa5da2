"""Runs tests of tempest's: a question as JSON on standard input, a line of JSON for each test on standard output.

`classes` names them; `part` of `parts` says which share of them is run, so that several processes share the work. With `list`
nothing is run: one line for each test that there is. TEMPEST_CONFIG_DIR and TEMPEST_CONFIG name the configuration.
"""

import json
import sys
import traceback
import unittest
import warnings


def main():
    warnings.simplefilter("ignore")
    question = json.load(sys.stdin)
    classes = question["classes"]
    if question.get("list"):
        for name in classes:
            for test in tests_of(name):
                tell(test=test.id(), class_name=name)
        return
    for name in classes[question["part"] :: question["parts"]]:
        unittest.TestSuite(tests_of(name)).run(Report(name))


def tests_of(name):
    module, _, class_name = name.rpartition(".")
    __import__(module)
    return list(unittest.defaultTestLoader.loadTestsFromTestCase(getattr(sys.modules[module], class_name)))


class Report(unittest.TestResult):
    """Tells each outcome at once. What fails before the first test of a class counts for the class."""

    def __init__(self, class_name):
        super().__init__()
        self.class_name = class_name

    def outcome(self, test, outcome, why=""):
        tell(test=test.id(), class_name=self.class_name, outcome=outcome, why=why)

    def addSuccess(self, test, details=None):
        self.outcome(test, "passed")

    def addFailure(self, test, err=None, details=None):
        self.outcome(test, "failed", reason(err, details))

    def addError(self, test, err=None, details=None):
        self.outcome(test, "failed", reason(err, details))

    def addSkip(self, test, reason=None, details=None):
        self.outcome(test, "skipped", reason or texts(details))


def reason(err, details):
    return texts(details) if err is None else "".join(traceback.format_exception(*err))


def texts(details):
    return "\n".join(content.as_text() for content in (details or {}).values())


def tell(**facts):
    print(json.dumps(facts), flush=True)


main()
