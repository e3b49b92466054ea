import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from "graphql";
import { InputEnum } from "./inputEnum.ts";
import { ANY, BYTES, DATE, FILE, OBJECT } from "./scalars.ts";
import { GEO_POINT_INPUT, POLYGON_INPUT } from "./valueTypes.ts";

function inputType(
  name: string,
  description: string,
  fields: Record<string, GraphQLInputFieldConfig>,
): GraphQLInputObjectType {
  return new GraphQLInputObjectType({ name, description, fields });
}

const required = (type: GraphQLInputType & (typeof GraphQLString | typeof GEO_POINT_INPUT | typeof ANY)) =>
  new GraphQLNonNull(type);

const READ_PREFERENCE = new InputEnum({
  name: "ReadPreference",
  description: "Accepted for clients of Parse Server. All reads see the last committed writes.",
  values: { PRIMARY: {}, PRIMARY_PREFERRED: {}, SECONDARY: {}, SECONDARY_PREFERRED: {}, NEAREST: {} },
});

export const READ_OPTIONS_INPUT = inputType(
  "ReadOptionsInput",
  "Accepted for clients of Parse Server, without effect.",
  {
    readPreference: { type: READ_PREFERENCE },
    includeReadPreference: { type: READ_PREFERENCE },
    subqueryReadPreference: { type: READ_PREFERENCE },
  },
);

const SEARCH_INPUT = inputType("SearchInput", "A full-text search.", {
  term: { description: "What is searched for.", type: required(GraphQLString) },
  language: { description: "The language of stop words and stems.", type: GraphQLString },
  caseSensitive: { type: GraphQLBoolean },
  diacriticSensitive: { type: GraphQLBoolean },
});
const TEXT_INPUT = inputType("TextInput", "A full-text search.", {
  search: { type: new GraphQLNonNull(SEARCH_INPUT) },
});
const BOX_INPUT = inputType("BoxInput", "A box between two corners.", {
  bottomLeft: { type: required(GEO_POINT_INPUT) },
  upperRight: { type: required(GEO_POINT_INPUT) },
});
const WITHIN_INPUT = inputType("WithinInput", "An area of points.", {
  box: { type: new GraphQLNonNull(BOX_INPUT) },
});
const CENTER_SPHERE_INPUT = inputType("CenterSphereInput", "A circle.", {
  center: { type: required(GEO_POINT_INPUT) },
  distance: { description: "The radius, in radians.", type: new GraphQLNonNull(GraphQLFloat) },
});
const GEO_WITHIN_INPUT = inputType("GeoWithinInput", "An area of points.", {
  polygon: { type: POLYGON_INPUT },
  centerSphere: { type: CENTER_SPHERE_INPUT },
});
const GEO_INTERSECTS_INPUT = inputType("GeoIntersectsInput", "What a polygon contains.", {
  point: { type: GEO_POINT_INPUT },
});
const SUBQUERY_INPUT = inputType("SubqueryInput", "A query of another class.", {
  className: { type: required(GraphQLString) },
  where: { type: new GraphQLNonNull(OBJECT) },
});
const SELECT_INPUT = inputType("SelectInput", "The values of a field in the results of another query.", {
  query: { type: new GraphQLNonNull(SUBQUERY_INPUT) },
  key: { description: "The field.", type: required(GraphQLString) },
});
const KEY_VALUE_INPUT = inputType("KeyValueInput", "A value inside of an object.", {
  key: { description: "The path of the value, with dots.", type: required(GraphQLString) },
  value: { type: required(ANY) },
});

const existence = {
  exists: { description: "Whether the field has a value.", type: GraphQLBoolean },
  inQueryKey: { description: "The value is in the results of another query.", type: SELECT_INPUT },
  notInQueryKey: { description: "The value is not in the results of another query.", type: SELECT_INPUT },
};
const pattern = {
  matchesRegex: { description: "The value matches a regular expression.", type: GraphQLString },
  options: { description: "Flags of matchesRegex, such as i and m.", type: GraphQLString },
};

const equality = (type: GraphQLInputType) => ({
  equalTo: { description: "The value equals this one.", type },
  notEqualTo: { description: "The value does not equal this one.", type },
});

const comparison = (type: GraphQLInputType) => ({
  ...equality(type),
  lessThan: { description: "The value is less.", type },
  lessThanOrEqualTo: { description: "The value is less or equal.", type },
  greaterThan: { description: "The value is greater.", type },
  greaterThanOrEqualTo: { description: "The value is greater or equal.", type },
  in: { description: "The value is one of these.", type: new GraphQLList(type) },
  notIn: { description: "The value is none of these.", type: new GraphQLList(type) },
});

function whereInput(
  typeName: string,
  fields: Record<string, GraphQLInputFieldConfig>,
): GraphQLInputObjectType {
  return inputType(`${typeName}WhereInput`, `Conditions on a field of type ${typeName}.`, fields);
}

/** The input types of conditions by the type of the field; `Id` is that of the id of an object. */
export const WHERE_INPUTS = {
  Id: whereInput("Id", { ...comparison(GraphQLID), ...existence }),
  String: whereInput("String", {
    ...comparison(GraphQLString),
    ...existence,
    ...pattern,
    text: { description: "A full-text search.", type: TEXT_INPUT },
  }),
  Number: whereInput("Number", { ...comparison(GraphQLFloat), ...existence }),
  Boolean: whereInput("Boolean", { ...equality(GraphQLBoolean), ...existence }),
  Array: whereInput("Array", {
    ...comparison(ANY),
    ...existence,
    containedBy: { description: "All elements are among these.", type: new GraphQLList(ANY) },
    contains: { description: "All of these are elements.", type: new GraphQLList(ANY) },
  }),
  Object: whereInput("Object", { ...comparison(KEY_VALUE_INPUT), ...existence }),
  Date: whereInput("Date", { ...comparison(DATE), ...existence }),
  Bytes: whereInput("Bytes", { ...comparison(BYTES), ...existence }),
  File: whereInput("File", { ...comparison(FILE), ...existence, ...pattern }),
  GeoPoint: whereInput("GeoPoint", {
    exists: existence.exists,
    nearSphere: { description: "Near to a point, the nearest first.", type: GEO_POINT_INPUT },
    maxDistance: { description: "The maximum distance of nearSphere, in radians.", type: GraphQLFloat },
    maxDistanceInRadians: { type: GraphQLFloat },
    maxDistanceInMiles: { type: GraphQLFloat },
    maxDistanceInKilometers: { type: GraphQLFloat },
    within: { description: "Within a box.", type: WITHIN_INPUT },
    geoWithin: { description: "Within a polygon or circle.", type: GEO_WITHIN_INPUT },
  }),
  Polygon: whereInput("Polygon", {
    exists: existence.exists,
    geoIntersects: { description: "The polygon contains a point.", type: GEO_INTERSECTS_INPUT },
  }),
} as const;

/** Types that are in the schema also if no class has a field of them. */
export const WHERE_TYPES = [...Object.values(WHERE_INPUTS), READ_OPTIONS_INPUT];
