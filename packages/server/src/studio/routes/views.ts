import { viewEndpoints as endpoints } from "../../studioApi/views.ts";
import { type Requests, requireSignedIn, route, type StudioRoute } from "../route.ts";
import type { SavedViews } from "../savedViews.ts";

type ViewRequests = Requests<typeof endpoints>;

export interface ViewDependencies {
  views: SavedViews;
}

/** Routes for saved views of the rows of a class. */
export function viewRoutes({ views }: ViewDependencies): StudioRoute[] {
  return [route(endpoints.views, list), route(endpoints.saveView, save), route(endpoints.removeView, remove)];

  async function list(request: ViewRequests["views"]) {
    const { operator } = requireSignedIn(request);
    return { results: await views.list(operator, request.pathParams.className) };
  }

  async function save(request: ViewRequests["saveView"]) {
    const { pathParams, params } = request;
    request.setAuditDetails({ target: `${pathParams.className}/${params.name}`, after: params.view });
    return views.save(requireSignedIn(request).operator, pathParams.className, params);
  }

  async function remove(request: ViewRequests["removeView"]) {
    const { className, id } = request.pathParams;
    const name = await views.remove(requireSignedIn(request).operator, className, id);
    request.setAuditDetails({ target: `${className}/${name}` });
    return {};
  }
}
