/** Splits an address into groups of four hex digits so that users can compare it. */
export function addressGroups(address: string): { at: number; text: string }[] {
  const digits = address.replace(/^0x/i, "");
  const groups = digits.match(/.{1,4}/g) ?? [];
  return groups.map((group, i) => ({ at: i * 4, text: i === 0 ? `0x${group}` : group }));
}

/** Shortens an address for compact layouts. Never use it where users have to verify the address. */
export function shortAddress(address: string): string {
  return address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
}
