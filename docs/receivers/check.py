"""Says of each vector what receive.py says: `python3 check.py --vectors vectors.json` prints a line `VERDICT <tab> NAME` for each."""

import argparse
import base64
import json

from receive import Refused, verify

parser = argparse.ArgumentParser()
parser.add_argument("--vectors", default="vectors.json")
with open(parser.parse_args().vectors, encoding="utf-8") as file:
    vectors = json.load(file)["vectors"]

for vector in vectors:
    verdict = "ok"
    try:
        verify(base64.b64decode(vector["body_base64"]), vector["headers"], vector["secret"], vector["now"])
    except Refused as error:
        verdict = str(error)
    print(verdict, vector["name"], sep="\t")
