import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Slow test files, the slowest first; those that mostly wait beside those that compute, so that no core is idle. */
const LONG: readonly RegExp[] = [
  /tests\/browser\/shell\./,
  /tests\/browser\/(outage|money|studio\w+|accounts|explorer)\./,
  // Directly after them: a process goes on with the next file of its project, whose modules and browser it has.
  /tests\/browser\//,
  /packages\/chain\/src\/indexer\/|packages\/chain\/src\/endpoints\/irregularTokens\./,
  /tests\/server\/(chainEvents|moving|push|schemaOptions|schemas|start|store|streams)\./,
  /tests\/security\/(hostile|internalClasses|services|surroundings)\./,
  /tests\/server\/failover\.|tests\/proofs\/leaks\.|scripts\/packages\./,
  /tests\/faults\/clockJumps\.|packages\/server\/src\/(chainEvents\/|cloud\/cloud\.|images\/transformed)/,
  /tests\/server\/locks\.|tests\/interop\//,
  /tests\/(client|faults|security)\//,
  /tests\/|packages\/devchain\/|packages\/chain\/src\/(endpoints|nft|names)\//,
];

/**
 * Where the files are that share processes: together, because a process that goes on with a file of another project has to end
 * first.
 */
const SHARED_RANKS: ReadonlyMap<string, number> = new Map([
  ["shared", 2.1],
  ["requesting", 3.9],
  ["renewed", LONG.length + 0.1],
  ["mocked", LONG.length + 0.2],
  ["components", LONG.length + 0.3],
  ["pure", LONG.length + 0.4],
]);

/** Starts the slowest files first, so that no core is idle at the end. */
export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({
      moduleId,
      project,
    }: TestSpecification): readonly [rank: number, rankInProject: number] => {
      const index = LONG.findIndex((pattern) => pattern.test(moduleId));
      const found = index < 0 ? LONG.length : index;
      return [SHARED_RANKS.get(project.name) ?? found, found];
    };
    return sorted.sort((a, b) => {
      const [[one, oneInProject], [other, otherInProject]] = [rank(a), rank(b)];
      return one - other || oneInProject - otherInProject;
    });
  }
}
