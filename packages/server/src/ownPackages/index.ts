export { createOwnPackages } from "./ownPackages.ts";
export { type PackagePart, type PackageSource, PackagesUnavailableError } from "./packageSource.ts";
