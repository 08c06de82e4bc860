import { randomInt } from "node:crypto";
import { Confidential } from "@drover/platform";

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
const length = 20;

/** A password of 20 characters, 120 bits of chance (rancher: pkg/data/management/resetpassword.go). */
export function generatePassword(): Confidential {
  const characters = Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length)));
  return new Confidential(characters.join(""));
}
