/** What helps where a recipient cannot be used. */
export const RECIPIENT_PROBLEMS = {
  empty: "Enter the address of who shall receive it.",
  shape: "An address is 0x and 40 digits from 0 to 9 and a to f.",
  checksum: "This address has a typing mistake: its capital letters do not fit.",
  zero: "This is the zero address: what is sent there is lost.",
} as const;
