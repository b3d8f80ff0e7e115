"""The class help names every property, function, signal and constant of QuarryTerrain, with its types, and nothing else.

Usage: help_test.py HELP_CPP CLASS_JSON, where run_tests.gd has written the second.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def main():
    source = pathlib.Path(sys.argv[1]).read_text()
    help_of = ElementTree.fromstring(re.search(r'R"XML\((.*)\)XML"', source, re.S).group(1).strip())
    there = json.loads(pathlib.Path(sys.argv[2]).read_text())
    for kind, path in [("properties", "members/member"), ("methods", "methods/method"), ("signals", "signals/signal"),
                       ("constants", "constants/constant")]:
        named = {each.get("name"): each for each in help_of.findall(path)}
        missing = sorted(set(there[kind]) - set(named))
        unknown = sorted(set(named) - set(there[kind]))
        assert not missing and not unknown, f"{kind}: the help lacks {missing}, and names {unknown}, which are not there"
        for name, each in named.items():
            text = each.text if kind in ("properties", "constants") else each.findtext("description")
            assert text and text.strip().endswith("."), f"{name} has no sentence in the help"
            arguments = [parameter.get("name") for parameter in each.findall("param")]
            if kind in ("methods", "signals"):
                assert arguments == there[kind][name], f"{name} has the arguments {there[kind][name]}, the help says {arguments}"
    print("ok: the class help is complete")


main()
