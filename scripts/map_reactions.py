#!/usr/bin/env python3
"""Maps the atoms of reactions with one attention head of RXNMapper, and counts those that it maps right.

Needs: a run that `tapehead import DIRECTORY --run RUN --token-texts` made of RXNMapper's model; python3-numpy.

Schwaller et al. 2021 ("Extraction of organic chemistry grammar from unsupervised learning of chemical reactions") map
each atom of a product to an atom of a reactant, by the weights of the head 5 in the layer 10, both counted from 0, with
a search over the graph on top. Here an atom is mapped to the reactants' atom with the largest weight, and no search
follows.

The reactions, one a line with its name, are written as SMILES in which atoms of both sides with one number are the same
atom. Atoms of a reactant that have the same surroundings to any distance are equivalent, such as both ortho positions
of a phenyl group: each counts as right. The same goes for atoms of the product. `both` adds to each weight that of the
reactant's atom to the product's atom.
"""

import argparse
import collections
import pathlib
import re
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
import tapehead  # noqa: E402

TOKEN = re.compile(r"\[[^\]]+\]|Br|Cl|[BCNOPSFIbcnops]|>>|[-=#().0-9]")
ORGANIC = re.compile(r"\[(B|C|N|O|P|S|F|Cl|Br|I|b|c|n|o|p|s)(H\d?)?\]")  # without brackets, unless it is [nH]


def is_atom(token):
    return token[0] == "[" or token[0].isalpha()


def plain(token):
    """The token without its number, and the number: "[CH3:1]" is "C" and 1."""
    number = re.search(r":(\d+)\]", token)
    token = re.sub(r":\d+\]", "]", token)
    organic = ORGANIC.fullmatch(token)
    if number and organic and token != "[nH]":
        token = organic[1]
    return token, int(number[1]) if number else None


def bonds_of(tokens):
    """Pairs of positions of bonded atoms, with the bond."""
    bonds, branches, rings = [], [], {}
    before, bond = None, ""
    for here, token in enumerate(tokens):
        if is_atom(token):
            if before is not None:
                bonds.append((before, here, bond))
            before, bond = here, ""
        elif token == "(":
            branches.append(before)
        elif token == ")":
            before = branches.pop()
        elif token.isdigit():
            if token in rings:
                bonds.append((rings.pop(token), before, bond))
                bond = ""
            else:
                rings[token] = before
        elif token in (".", ">>"):
            before, bond = None, ""
        elif token != "-":
            bond = token
    return bonds


def classes_of(tokens):
    """Of each atom what it and its surroundings are (Morgan 1965): atoms of one class are equivalent."""
    neighbours = collections.defaultdict(list)
    for left, right, bond in bonds_of(tokens):
        neighbours[left].append((bond, right))
        neighbours[right].append((bond, left))
    classes = {here: token for here, token in enumerate(tokens) if is_atom(token)}
    for _ in range(len(classes)):
        around = {
            here: (classes[here], sorted((bond, classes[other]) for bond, other in neighbours[here])) for here in classes
        }
        numbers = {name: str(number) for number, name in enumerate(sorted({repr(name) for name in around.values()}))}
        classes = {here: numbers[repr(name)] for here, name in around.items()}
    return classes


def right_atoms(weights, tokens, numbers):
    """How many atoms of the product are mapped right, and how many there are. `weights`: of each token to the others."""
    arrow = tokens.index(">>")
    classes = classes_of(tokens)
    reactants = [here for here in classes if here < arrow]
    products = [here for here in classes if here > arrow]
    at = {numbers[here]: here for here in reactants if numbers[here]}
    accepted = collections.defaultdict(set)  # classes of reactants' atoms, by the class of the product's atom
    for here in products:
        accepted[classes[here]].add(classes[at[numbers[here]]])
    found = {here: max(reactants, key=lambda other: weights[here, other]) for here in products}
    return sum(classes[found[here]] in accepted[classes[here]] for here in products), len(products)


def read_reactions(file):
    """The name of each reaction, its tokens, and their numbers."""
    for line in pathlib.Path(file).read_text("utf-8").splitlines():
        name, reaction = line.split("\t")
        yield name, *zip(*map(plain, TOKEN.findall(reaction)))


def seen_by(run, tokens):
    """The weights of all heads of each attention between the tokens, without those of the marks."""
    seen = run.attention(" ".join(tokens))
    assert tuple(seen.source_tokens[1:-1]) == tokens, seen.source_tokens
    return {name: weights[:, 1:-1, 1:-1] for name, weights in seen.weights.items()}


def draw(weights, tokens, title, file):
    """The atoms of the product by those of the reactants."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    arrow = tokens.index(">>")
    rows = [here for here in range(arrow + 1, len(tokens)) if is_atom(tokens[here])]
    columns = [here for here in range(arrow) if is_atom(tokens[here])]
    figure, axes = pyplot.subplots(figsize=(0.28 * len(columns) + 1, 0.28 * len(rows) + 1), layout="constrained")
    axes.imshow(weights[np.ix_(rows, columns)], cmap="Blues", vmin=0)
    axes.set_xticks(range(len(columns)), [tokens[here] for here in columns])
    axes.set_yticks(range(len(rows)), [tokens[here] for here in rows])
    axes.set_xlabel("atoms of the reactants")
    axes.set_ylabel("atoms of the product")
    axes.set_title(title, fontsize="medium")
    figure.savefig(file, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("--attention", default="encoder.layers.10.self")
    parser.add_argument("--head", type=int, default=5)
    parser.add_argument("--reactions", default=ROOT / "tests/fixtures/reactions.tsv")
    parser.add_argument("--every-head", action="store_true", help="also print how many atoms each head maps right")
    parser.add_argument(
        "--draw", nargs=2, metavar=("NAME", "FILE"), help="draw the weights of this reaction (needs matplotlib)"
    )
    arguments = parser.parse_args()
    run = tapehead.load(arguments.run)
    totals = np.zeros(3, int)
    every = collections.defaultdict(int)
    print("| reaction | right | both | atoms |\n|---|---|---|---|")
    for name, tokens, numbers in read_reactions(arguments.reactions):
        seen = seen_by(run, tokens)
        weights = seen[arguments.attention][arguments.head]
        right, atoms = right_atoms(weights, tokens, numbers)
        both, _ = right_atoms(weights + weights.T, tokens, numbers)
        print(f"| {name}, `{''.join(tokens)}` | {right} | {both} | {atoms} |")
        totals += (right, both, atoms)
        if arguments.every_head:
            for attention, heads in seen.items():
                every[attention] += np.array([right_atoms(head, tokens, numbers)[0] for head in heads])
        if arguments.draw and arguments.draw[0] == name:
            draw(weights, tokens, f"{name}: {arguments.attention}, head {arguments.head}", arguments.draw[1])
    print("| all | {} | {} | {} |".format(*totals))
    for attention, right in every.items():
        print(attention, *right)


if __name__ == "__main__":
    main()
