"""The intermediate representation: kinds, nodes, structural primitives, and the tools to walk, print and check it."""
