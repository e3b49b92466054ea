/*
 * Optional peer dependencies, not installed here. The imports need literal names: bundlers cannot resolve
 * computed ones.
 */
declare module "@walletconnect/ethereum-provider" {
  const library: unknown;
  export default library;
}

declare module "@web3auth/modal" {
  const library: unknown;
  export default library;
}
