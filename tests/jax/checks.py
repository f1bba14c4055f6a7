"""What the programs of checks share, which tests start in processes of their own."""

import json
import traceback


def report(names):
    """Calls every function check_NAME of a module's globals(); prints what each said as JSON, "" being well."""
    said = {}
    for name, check in list(names.items()):
        if name.startswith("check_"):
            try:
                check()
                said[name[6:]] = ""
            except Exception:
                said[name[6:]] = traceback.format_exc()
    print(json.dumps(said))
