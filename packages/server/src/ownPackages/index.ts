export { createOwnPackages } from "./ownPackages.ts";
export { type PackageSource, PackagesUnavailableError } from "./packageSource.ts";
