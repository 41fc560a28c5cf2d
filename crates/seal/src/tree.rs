//! The Merkle tree of the 34 leaves: RFC 6962 section 2.1, RFC 9162 section 2.1 (SHA-256).

use crate::hash::{Bytes32, sha256};

/// How many leaves a sealed grid has: 30 cells and 4 paliers.
pub const LEAVES: usize = 34;
/// Nodes of each level from the leaves up. The last node of an odd level is taken up as it is, which is RFC 6962's tree.
const LEVELS: [usize; 7] = [34, 17, 9, 5, 3, 2, 1];
const NODES: usize = 71;
/// The most hashes that a path has.
pub const LONGEST_PATH: usize = LEVELS.len() - 1;

/// The hash of a leaf: `H(0x00 || leaf)`.
#[must_use]
pub fn leaf_hash(leaf: &[u8]) -> Bytes32 {
    sha256(&[&[0], leaf])
}

fn node_hash(left: &Bytes32, right: &Bytes32) -> Bytes32 {
    sha256(&[&[1], left, right])
}

/// A whole tree: what its maker keeps to open leaves.
#[derive(Clone)]
pub struct Tree([Bytes32; NODES]);

impl Tree {
    /// The tree over these leaf hashes.
    #[must_use]
    pub fn new(leaves: &[Bytes32; LEAVES]) -> Self {
        let mut nodes = [[0; 32]; NODES];
        nodes[..LEAVES].copy_from_slice(leaves);
        let mut start = 0;
        for width in &LEVELS[..LONGEST_PATH] {
            let (below, above) = nodes.split_at_mut(start + width);
            for (node, pair) in above.iter_mut().zip(below[start..].chunks(2)) {
                *node = match pair {
                    [left, right] => node_hash(left, right),
                    _ => pair[0],
                };
            }
            start += width;
        }
        Self(nodes)
    }

    /// Its root.
    #[must_use]
    pub const fn root(&self) -> &Bytes32 {
        &self.0[NODES - 1]
    }

    /// The inclusion proof of a leaf, 0 to 33: sibling hashes from the leaf up.
    #[must_use]
    pub fn path(&self, leaf: usize) -> Vec<Bytes32> {
        let (mut start, mut at) = (0, leaf);
        let mut path = Vec::with_capacity(LONGEST_PATH);
        for width in &LEVELS[..LONGEST_PATH] {
            let sibling = at ^ 1;
            if sibling < *width {
                path.push(self.0[start + sibling]);
            }
            start += width;
            at /= 2;
        }
        path
    }
}

/// The root that a leaf hash and its path lead to (RFC 9162 section 2.1.3.2), if the path has the length that leaf needs.
#[must_use]
pub fn root_from_path(leaf: usize, leaf_hash: Bytes32, path: &[Bytes32]) -> Option<Bytes32> {
    let mut at = leaf;
    let mut hash = leaf_hash;
    let mut path = path.iter();
    for width in &LEVELS[..LONGEST_PATH] {
        if at >= *width {
            return None;
        }
        let right = at % 2 == 1;
        if right || at + 1 < *width {
            let sibling = path.next()?;
            hash = if right { node_hash(sibling, &hash) } else { node_hash(&hash, sibling) };
        }
        at /= 2;
    }
    if path.next().is_none() { Some(hash) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6962 section 2.1, word for word: split at the largest power of two below n.
    fn rfc_root(leaves: &[Bytes32]) -> Bytes32 {
        match leaves {
            [only] => *only,
            _ => {
                let k = leaves.len().next_power_of_two() / 2;
                node_hash(&rfc_root(&leaves[..k]), &rfc_root(&leaves[k..]))
            }
        }
    }

    /// RFC 6962 section 2.1.1, word for word.
    fn rfc_path(m: usize, leaves: &[Bytes32]) -> Vec<Bytes32> {
        if leaves.len() == 1 {
            return Vec::new();
        }
        let k = leaves.len().next_power_of_two() / 2;
        let (left, right) = leaves.split_at(k);
        let (mut path, sibling) = if m < k { (rfc_path(m, left), right) } else { (rfc_path(m - k, right), left) };
        path.push(rfc_root(sibling));
        path
    }

    #[test]
    fn the_tree_and_its_paths_are_those_of_rfc_6962() {
        let leaves: [Bytes32; LEAVES] = core::array::from_fn(|i| leaf_hash(&[i as u8]));
        let tree = Tree::new(&leaves);
        assert_eq!(*tree.root(), rfc_root(&leaves));
        for (i, leaf) in leaves.iter().enumerate() {
            assert_eq!(tree.path(i), rfc_path(i, &leaves));
            assert_eq!(root_from_path(i, *leaf, &tree.path(i)), Some(*tree.root()));
        }
    }

    #[test]
    fn a_path_of_another_length_or_of_a_leaf_outside_leads_nowhere() {
        let leaves: [Bytes32; LEAVES] = core::array::from_fn(|i| leaf_hash(&[i as u8]));
        let tree = Tree::new(&leaves);
        for (i, leaf) in leaves.iter().enumerate() {
            let mut path = tree.path(i);
            path.push([0; 32]);
            assert_eq!(root_from_path(i, *leaf, &path), None);
            path.truncate(path.len() - 2);
            assert_eq!(root_from_path(i, *leaf, &path), None);
        }
        assert_eq!(root_from_path(LEAVES, leaves[0], &tree.path(0)), None);
    }
}
