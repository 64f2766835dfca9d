"""Compares what tapehead reads with what PyYAML and json read of configs, and with the layout of safetensors files."""
import json
import struct
import subprocess
from pathlib import Path

import yaml

COMPARED = ("document", "tensors", "foreign_tensors")


def tree_of(node):
    """PyYAML's nodes as texts, as tapehead has them; what is not quoted may be null."""
    if isinstance(node, yaml.MappingNode):
        return {tree_of(key) or key.value: tree_of(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [tree_of(item) for item in node.value]
    null = node.style is None and node.tag == "tag:yaml.org,2002:null"
    return None if null else node.value


def document(content, path):
    text = content.decode("utf-8-sig")
    try:
        def words(value):
            if isinstance(value, dict):
                return {key: words(item) for key, item in value.items()}
            return ([words(item) for item in value] if isinstance(value, list)
                    else str(value).lower() if isinstance(value, bool) else value)
        return words(json.loads(text, parse_int=str, parse_float=str))
    except ValueError:
        return tree_of(yaml.compose(text, yaml.SafeLoader))


def tensors(content, path):
    length, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    metadata = header.pop("__metadata__", {})
    metadata.pop("checksum", None)
    data = content[8 + length:]
    entries = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        entries[name] = {"dtype": entry["dtype"], "shape": entry["shape"], "bytes": data[begin:end].hex()}
    return {"tensors": entries, "metadata": metadata}


def complaints(program, name, files):
    """The files that tapehead reads otherwise, with both readings."""
    read = document if name == "document" else tensors
    wrong = []
    for first in range(0, len(files), 500):
        told = subprocess.run([program, f"--reader={name}", "--tell", *files[first:first + 500]], stdout=subprocess.PIPE,
                              check=True).stdout
        for line in told.splitlines():
            ours = json.loads(line)
            if "value" not in ours:
                continue
            try:
                theirs = read(Path(ours["file"]).read_bytes(), ours["file"])
            except Exception as error:  # whatever they cannot read
                theirs = f"refused: {error}"
            if theirs != ours["value"]:
                wrong.append(f"{ours['file']}: tapehead reads {ours['value']}, the other reader {theirs}")
    return "\n".join(wrong)
