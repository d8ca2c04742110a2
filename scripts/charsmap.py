# Builds precompiled charsmaps as SentencePiece has them: a double array of byte strings, and what they become.
import struct


def build(mapping):
    """The bytes for {str: str}."""
    root = {}
    for key in mapping:
        node = root
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[None] = key
    units, texts, leaves = [], bytearray(), []

    def block():
        """256 units of its own for the children of a node."""
        units.extend([0] * 256)
        return len(units) - 256

    def fill(node, base):
        for byte, child in node.items():
            if byte is None:
                continue
            if len(child) == 1 and None in child:
                leaves.append((base ^ byte, byte, child[None]))  # needs one unit, of no block
                continue
            at, below = base ^ byte, block()
            units[at] = (at ^ below) << 10 | (None in child) << 8 | byte
            if None in child:
                units[below] = value(child[None])
            fill(child, below)

    def value(key):
        texts.extend(mapping[key].encode() + b"\0")
        return 1 << 31 | len(texts) - len(mapping[key].encode()) - 1

    base = block()
    first = block()
    units[base] = (base ^ first) << 10
    fill(root, first)
    for at, byte, key in leaves:
        units[at] = (at ^ len(units)) << 10 | 1 << 8 | byte
        units.append(value(key))
    units.extend([0] * (-len(units) % 256))
    assert len(units) < 1 << 21
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + bytes(texts)
