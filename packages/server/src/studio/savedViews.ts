import { ErrorCode, isJsonObject, type JsonObject, ProtocolError, parseWhere } from "@purse/protocol";
import { operationForbidden } from "../core/operationForbidden.ts";
import { newObjectId } from "../data/objects/objectId.ts";
import { createRow, findRows, getRow, updateRow } from "../database/serverRows.ts";
import { UniqueConstraintError } from "../database/store.ts";
import type { StudioOperator } from "../studioApi/access.ts";
import type { StudioView } from "../studioApi/views.ts";
import type { OperatorDependencies } from "./operators.ts";

/** Each operator has one view of a name for each class. */
const NAME_SCOPE = "_StudioView.name";
const MAX_OWN_VIEWS = 50;
const MAX_LISTED_VIEWS = 500;
const MAX_VIEW_LENGTH = 20_000;

type ViewOwner = Pick<StudioOperator, "id" | "username" | "role">;

/** Filters, orders and charts of classes that operators have saved, for themselves or for all operators. */
export class SavedViews {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the views that an operator sees, by name. */
  async list(operator: ViewOwner, className: string): Promise<StudioView[]> {
    const rows = await this.#rows(className, { $or: [{ operatorId: operator.id }, { isShared: true }] });
    return rows
      .map((row) => toView(row, operator))
      .toSorted((a, b) => a.name.localeCompare(b.name) || Number(b.isOwn) - Number(a.isOwn));
  }

  /** Saves a view in place of the operator's view of that name. Throws 119 if the operator may not share, 142. */
  async save(
    operator: ViewOwner,
    className: string,
    { name, view, isShared }: { name: string; view: JsonObject; isShared: boolean },
  ): Promise<StudioView> {
    if (isShared && operator.role === "readOnly")
      throw operationForbidden("Sharing a view requires the role editor.", 403);
    if (JSON.stringify(view).length > MAX_VIEW_LENGTH) throw invalidView("The view is too large.");
    const { store, classes, clock } = this.#dependencies;
    const value = JSON.stringify([operator.id, className, name]);
    const fields = {
      operatorId: operator.id,
      username: operator.username,
      ofClass: className,
      name,
      view,
      isShared,
    };
    const replace = async (id: string) => {
      await store.write([updateRow(classes._StudioView, id, clock(), fields)]);
      return toView({ objectId: id, ...fields }, operator);
    };
    const known = await store.getUniqueOwner(NAME_SCOPE, value);
    if (known !== undefined) return replace(known);
    const own = await this.#rows(className, { operatorId: operator.id });
    if (own.length >= MAX_OWN_VIEWS)
      throw invalidView(`You have ${MAX_OWN_VIEWS} views of this class: remove one first.`);
    const id = newObjectId();
    try {
      await store.write([
        { kind: "reserveUnique", scope: NAME_SCOPE, value, owner: id },
        createRow(classes._StudioView, id, clock(), { ...fields, ACL: {} }),
      ]);
    } catch (error) {
      const other =
        error instanceof UniqueConstraintError ? await store.getUniqueOwner(NAME_SCOPE, value) : undefined;
      if (other === undefined) throw error;
      return replace(other);
    }
    return toView({ objectId: id, ...fields }, operator);
  }

  /** Returns the name of the removed view. Throws 101 if the operator may not remove it. */
  async remove(operator: ViewOwner, className: string, id: string): Promise<string> {
    const { store, classes } = this.#dependencies;
    const row = await getRow(store, classes._StudioView, id);
    const isAllowed =
      row?.operatorId === operator.id || (row?.isShared === true && operator.role === "owner");
    if (!row || row.ofClass !== className || !isAllowed)
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The view does not exist.");
    await store.write([
      { kind: "delete", schema: classes._StudioView, id, subjects: null },
      { kind: "releaseAllUnique", scope: NAME_SCOPE, owner: id },
    ]);
    return String(row.name);
  }

  #rows(className: string, where: JsonObject): Promise<JsonObject[]> {
    const { store, classes } = this.#dependencies;
    return findRows(store, classes._StudioView, {
      where: parseWhere({ ofClass: className, ...where }),
      limit: MAX_LISTED_VIEWS,
    });
  }
}

function toView(
  { objectId, operatorId, username, name, isShared, view }: JsonObject,
  operator: ViewOwner,
): StudioView {
  return {
    id: String(objectId),
    name: String(name),
    username: String(username),
    isOwn: operatorId === operator.id,
    isShared: isShared === true,
    view: isJsonObject(view) ? view : {},
  };
}

function invalidView(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message);
}
