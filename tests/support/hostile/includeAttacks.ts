import { graphOf, KNOTS } from "./graph.ts";
import { type RequestAttack, repeat, TEXT_TYPE } from "./requestAttack.ts";
import { enveloped } from "./target.ts";

const find = (
  className: string,
  params: Record<string, string | number>,
  count = 1,
): RequestAttack["make"] => {
  return (target) =>
    repeat(count, (i) => ({
      path: `/server/classes/${className}`,
      headers: TEXT_TYPE,
      // Identical reads are executed once.
      body: enveloped(target, {
        _method: "GET",
        limit: 60,
        ...params,
        where: { updatedAt: { $exists: true }, [`k${i}`]: { $exists: false } },
      }),
    }));
};

/** Reads whose includes put the same object into the response many times. */
export const INCLUDES: readonly RequestAttack[] = [
  { generator: "60 × 100 pointers to an object of 1 MB", make: find("Wide", { include: "all" }) },
  { generator: "60 pointers to an object of 1 MB", make: find("Wide", { include: "next" }) },
  {
    generator: "60 pointers to an object of 1 MB, 8 times at a time",
    isConcurrent: true,
    make: find("Wide", { include: "next" }, 8),
  },
  { generator: "everything that can be included", make: find("Wide", { include: "*" }) },
  {
    generator: `${KNOTS} × ${KNOTS} objects, 5 times at a time`,
    isConcurrent: true,
    make: find("Knot", { include: "all" }, 5),
  },
  {
    generator: `${KNOTS} × ${KNOTS} objects of lists in lists`,
    make: find("Knot", { include: "all.all" }),
  },
  {
    generator: "pointers 20 deep, 5 times at a time",
    isConcurrent: true,
    make: find("Knot", { include: Array.from({ length: 20 }, () => "next").join(".") }, 5),
  },
  {
    generator: "a batch of 100 reads of an object of 1 MB",
    make: async (target) => {
      const { largeId } = await graphOf(target);
      const requests = repeat(100, () => ({ method: "GET", path: `/server/classes/Knot/${largeId}` }));
      return [{ path: "/server/batch", headers: TEXT_TYPE, body: enveloped(target, { requests }) }];
    },
  },
];
