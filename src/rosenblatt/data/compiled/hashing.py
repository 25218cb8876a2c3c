"""Hashes: of names, which become columns, and of contents, as fingerprints."""

import numpy as np

from rosenblatt.data.compiled.jit import helper, rule


@rule(of_text=True)
def murmur(text, start, stop, seed):
    """Compute the 32-bit MurmurHash3 (Appleby 2011) of text[start:stop]."""
    h, k = np.uint32(seed), start
    while k + 4 <= stop:
        word = np.uint32(text[k] | text[k + 1] << 8 | text[k + 2] << 16 | text[k + 3] << 24)
        h = np.uint32(turn(np.uint32(h ^ scramble(word)), 13) * np.uint32(5) + np.uint32(0xE6546B64))
        k += 4
    word = np.uint32(0)
    for q in range(stop - k):
        word |= np.uint32(np.uint32(text[k + q]) << np.uint32(8 * q))
    h ^= scramble(word)
    h ^= np.uint32(stop - start)
    h = np.uint32((h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    h = np.uint32((h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return np.uint32(h ^ (h >> np.uint32(16)))


@helper
def scramble(word):
    return np.uint32(turn(np.uint32(word * np.uint32(0xCC9E2D51)), 15) * np.uint32(0x1B873593))


@helper
def turn(word, by):
    """Rotate the bits of a word to the left."""
    return np.uint32((word << np.uint32(by)) | (word >> np.uint32(32 - by)))


@rule
def fingerprint(content, seed):
    """Compute a 64-bit hash of the whole content. It finds accidental changes, but is not cryptographic."""
    h = np.uint64(seed) ^ np.uint64(0x9E3779B97F4A7C15)
    words = content[: content.size // 8 * 8].view(np.uint64)
    a, b, c, d = h, h + np.uint64(1), h + np.uint64(2), h + np.uint64(3)
    prime = np.uint64(0x9FB21C651E98DF25)
    for k in range(0, words.size // 4 * 4, 4):
        a = (a ^ words[k]) * prime
        b = (b ^ words[k + 1]) * prime
        c = (c ^ words[k + 2]) * prime
        d = (d ^ words[k + 3]) * prime
        a ^= a >> np.uint64(29)
        b ^= b >> np.uint64(31)
        c ^= c >> np.uint64(33)
        d ^= d >> np.uint64(35)
    for k in range(words.size // 4 * 32, content.size):
        a = (a ^ np.uint64(content[k])) * prime
        a ^= a >> np.uint64(29)
    h = np.uint64(content.size)
    for part in (a, b, c, d):
        h = (h ^ part) * prime
        h ^= h >> np.uint64(32)
    return h
