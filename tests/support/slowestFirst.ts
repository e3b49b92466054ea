import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Slow test files, the slowest first. */
const LONG: readonly RegExp[] = [
  /tests\/browser\/shell\./,
  /tests\/browser\/(outage|money|studio\w+|accounts|explorer)\./,
  // Directly after them: a process goes on with the next file of its project, whose modules and browser it has.
  /tests\/browser\//,
  /packages\/chain\/src\/indexer\/|packages\/chain\/src\/endpoints\/irregularTokens\./,
  /tests\/server\/(chainEvents|failover|locks|moving|push|schemaOptions|schemas|start|store|streams)\.|tests\/faults\//,
  /tests\/security\/(hostile|internalClasses|mails|services|surroundings)\./,
  /scripts\/(appSizes|leaks|packages|types)\.|packages\/server\/src\/(chainEvents\/|cloud\/cloud\.|images\/transformed)/,
  /tests\/(client|interop|security)\//,
  /tests\/|packages\/devchain\/|packages\/chain\/src\/(endpoints|nft|names)\//,
];

/**
 * Where the files are that share processes: together, because a process that goes on with a file of another project has to end
 * first.
 */
const SHARED_RANKS: ReadonlyMap<string, number> = new Map([
  ["shared", 2.1],
  ["requesting", 3.9],
  ["renewed", 9.1],
  ["mocked", 9.2],
  ["components", 9.3],
  ["pure", 9.4],
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
