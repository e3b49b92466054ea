import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Slow test files, the slowest first. */
const LONG: readonly RegExp[] = [
  /tests\/browser\/(outage|studioOutage|studioGrid|studioRights|studioWork|people|money|explorer)\./,
  /packages\/chain\/src\/indexer\/|packages\/chain\/src\/endpoints\/irregularTokens\./,
  /tests\/server\/(chainHistories|chainEvents|failover|locks|push|schemas|live)\.|tests\/faults\//,
  /tests\/browser\//,
  /tests\/(client|interop|security)\//,
  /tests\/|packages\/devchain\/|packages\/chain\/src\/(endpoints|nft|names)\//,
];

/** Starts the slowest files first, so that no core is idle at the end. */
export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((pattern) => pattern.test(moduleId));
      return found < 0 ? LONG.length : found;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
