/** The name and `type` of the development wallet's connector. */
export const DEVELOPMENT_WALLET = "development";
