import type { Marketplace } from "../model/chainConfig.ts";

/** Seaport versions since 1.1, each with the same address on all chains. */
const SEAPORT: readonly Marketplace[] = [
  "0x00000000006c3852cbef3e08e8df289169ede581",
  "0x00000000000006c7676171937c444f6bde3d6282",
  "0x0000000000000ad24e80fd803c6ac37206a45f15",
  "0x00000000000001ad428e4906ae43d8f9852d0dd6",
  "0x00000000000000adc04c56bf30ac9d3c0aaf14dc",
  "0x0000000000000068f116a894984e2db1123eb395",
].map((address) => ({ name: "opensea", address }));

/** The exchange proxy of 0x v4; on some chains it has another address. */
const ZERO_EX: Marketplace = { name: "0xprotocol", address: "0xdef1c0ded9bec7f1a1670819833240f027b25eff" };

/** Marketplaces of single chains by chain id (EIP-155). */
const MARKETPLACES: Readonly<Record<number, readonly Marketplace[]>> = {
  1: [
    // Wyvern v1 and v2.
    { name: "opensea", address: "0x7be8076f4ea4a4ad08075c2508e481d6c946d12b" },
    { name: "opensea", address: "0x7f268357a8c2552623316e2562d90e642bb538e5" },
    { name: "looksrare", address: "0x59728544b08ab483533076417fbbb2fd0b17ce3a" },
    { name: "looksrare", address: "0x0000000000e655fae4d56241588680f86e3b2377" },
    { name: "blur", address: "0x000000000000ad05ccc4f10045630fb830b95127" },
    { name: "blur", address: "0xb2ecfe4e4d61f8790bbb9de2d1259b9e2410cea5" },
    { name: "x2y2", address: "0x74312363e45dcaba76c59ec49a7aa8a65a67eed3" },
    // Sudoswap v1 and v2.
    { name: "sudoswap", address: "0xb16c1342e617a5b6e4b631eb114483fdb289c0a4" },
    { name: "sudoswap", address: "0xa020d57ab0448ef74115c112d18a9c231cc86000" },
    ZERO_EX,
  ],
  10: [{ name: "0xprotocol", address: "0xdef1abe32c034e558cdd535791643c58a13acc10" }],
  56: [ZERO_EX],
  137: [ZERO_EX],
  250: [{ name: "0xprotocol", address: "0xdef189deaef76e379df891899eb5a00a94cbc250" }],
  8453: [ZERO_EX],
  42161: [ZERO_EX],
  43114: [ZERO_EX],
};

/** The known marketplaces of a chain. */
export function marketplacesOf(chainId: number): readonly Marketplace[] {
  return [...SEAPORT, ...(MARKETPLACES[chainId] ?? [])];
}
