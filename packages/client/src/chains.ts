/** Chain ids by name, as hex. Two names are misspelled in old code; both spellings are there. */
export const Chains = {
  ETH_MAINNET: "0x1",
  /** @deprecated ETH_MAINNET */
  ETH_MAINENT: "0x1",
  /** @deprecated ETH_MAINNET */
  ETH_MAINET: "0x1",
  ETH_ROPSTEN: "0x3",
  ETH_GOERLI: "0x5",
  ETH_KOVAN: "0x2a",
  ETH_RINKEBY: "0x4",
  /** @deprecated ETH_RINKEBY */
  ETH_RINKBEY: "0x4",
  ETH_LOCALDEVCHAIN: "0x539",
  ETH_SEPOLIA: "0xaa36a7",
  ETH_HOLESKY: "0x4268",
  POLYGON_MAINNET: "0x89",
  POLYGON_MUMBAI: "0x13881",
  POLYGON_AMOY: "0x13882",
  BSC_MAINNET: "0x38",
  BSC_TESTNET: "0x61",
  AVAX_MAINNET: "0xa86a",
  AVAX_TESTNET: "0xa869",
  FANTOM_MAINNET: "0xfa",
  CRONOS_MAINNET: "0x19",
  CRONOS_TESTNET: "0x152",
} as const;
