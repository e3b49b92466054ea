/** Messages for invalid recipients. */
export const RECIPIENT_PROBLEMS = {
  empty: "Enter a recipient address.",
  shape: "Invalid address: expected 0x followed by 40 hex characters.",
  checksum: "Invalid checksum: check the address for typos.",
  zero: "This is the zero address. Assets sent here are lost.",
} as const;
