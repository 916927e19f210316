// Queries of the OpenAPI documents.
import { queryOptions } from '@tanstack/react-query';

import { parseErrorResponse } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { fetchAsUser } from '~/lib/api/supabase';

export type OpenApiDocument = { openapi: string; paths: Record<string, unknown> };

/** The API that a document describes, by the path that answers it. */
export type DocumentedApi = '/rest/v1/' | '/account/v1/';

/** The description of an API for the signed-in user. */
export function openApiQuery(api: DocumentedApi) {
  return queryOptions({
    queryKey: ['openapi', api],
    async queryFn({ signal }): Promise<OpenApiDocument> {
      const headers = {
        accept: 'application/vnd.oai.openapi+json;version=3.1',
        apikey: serverConfig().anon_key,
      };
      const response = await fetchAsUser(api, { headers, signal });
      if (!response.ok) throw await parseErrorResponse(response);
      return response.json();
    },
  });
}
