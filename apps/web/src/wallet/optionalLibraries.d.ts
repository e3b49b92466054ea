// Optional peer dependencies, not installed by default.
declare module "@walletconnect/ethereum-provider" {
  const library: unknown;
  export default library;
}

declare module "@web3auth/modal" {
  const library: unknown;
  export default library;
}
