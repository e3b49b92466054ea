/** The name that the connector of the development wallet is registered by, and its `type`. */
export const DEVELOPMENT_WALLET = "development";
