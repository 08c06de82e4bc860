/** Which member of a group works for a cluster: the same answer on every replica, from nothing but names (rancher: pkg/controllers/managementapi/usercontrollers). */

import { crc32 } from "node:zlib";

/** 64-bit FNV-1a. */
const offset = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

/**
 * The owner by rendezvous hashing: the member with the highest 64-bit FNV-1a over its id and the cluster's uid, the larger id of two that score the
 * same. A member that goes moves only its own clusters, one that comes takes an even share. Undefined without members.
 */
export function rendezvousOwner(members: readonly string[], uid: string): string | undefined {
  let owner: string | undefined;
  let highest = -1n;
  for (const member of members) {
    const score = fnv1a(`${member}${uid}`);
    if (score < highest || (score === highest && member < (owner ?? ""))) continue;
    [owner, highest] = [member, score];
  }
  return owner;
}

/**
 * The owner by Rancher's former hash, which divides the range of a CRC-32 (IEEE) of the uid among the members in order: about half of the clusters move
 * when one of three members goes. For fleets whose feature `consistent-hashing-cluster-ownership` is off.
 */
export function legacyOwner(members: readonly string[], uid: string): string | undefined {
  const sorted = [...new Set(members)].sort();
  const most = 2 ** 32 - 1;
  const hash = Math.min(crc32(uid), most - 1);
  return sorted[Math.floor((hash * sorted.length) / most)];
}

function fnv1a(text: string): bigint {
  let hash = offset;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  return hash;
}
