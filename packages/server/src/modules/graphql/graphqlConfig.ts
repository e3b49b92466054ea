import { z } from "zod";

const names = z.array(z.string().min(1).max(200)).max(1_000);

const sortField = z.strictObject({ field: z.string(), asc: z.boolean(), desc: z.boolean() });

const classConfig = z.strictObject({
  className: z.string().min(1).max(200),
  type: z
    .strictObject({
      inputFields: z.strictObject({ create: names.nullish(), update: names.nullish() }).nullish(),
      outputFields: names.nullish(),
      constraintFields: names.nullish(),
      sortFields: z.array(sortField).max(1_000).nullish(),
    })
    .nullish(),
  query: z
    .strictObject({
      get: z.boolean().nullish(),
      find: z.boolean().nullish(),
      getAlias: z.string().nullish(),
      findAlias: z.string().nullish(),
    })
    .nullish(),
  mutation: z
    .strictObject({
      create: z.boolean().nullish(),
      update: z.boolean().nullish(),
      destroy: z.boolean().nullish(),
      createAlias: z.string().nullish(),
      updateAlias: z.string().nullish(),
      destroyAlias: z.string().nullish(),
    })
    .nullish(),
});

/** The configuration of the GraphQL schema, in the format of Parse Server. */
export const graphqlConfigSchema = z.strictObject({
  enabledForClasses: names.nullish(),
  disabledForClasses: names.nullish(),
  classConfigs: z.array(classConfig).max(1_000).nullish(),
});

export type GraphqlConfig = z.output<typeof graphqlConfigSchema>;
export type GraphqlClassConfig = z.output<typeof classConfig>;
