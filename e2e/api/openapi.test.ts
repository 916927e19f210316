// The OpenAPI documents: valid, and true about the rows that the server answers.

import { Validator } from '@seriousme/openapi-schema-validator';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { accessToken, expectOk, type Seed, seedOffice, signIn, unwrap } from '../helpers/api.ts';
import { openServer } from './server.ts';

const ACCEPT = 'application/vnd.oai.openapi+json;version=3.1';
const APIS = ['/rest/v1/', '/account/v1/'];

type Document = {
  openapi: string;
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, object> };
};

describe('OpenAPI documents', () => {
  let portaria: Portaria;
  let office: Seed;
  /** The bearer token of each kind of caller. */
  let tokens: Record<string, string>;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    office = await seedOffice(portaria);
    const joao = await signIn(portaria, office.joao);
    await expectOk(joao.from('tickets').insert({ subject: 'Certidão', message: 'Preciso de uma certidão.' }));
    await expectOk(office.admin.rpc('create_default_templates'));
    tokens = {
      anonymous: portaria.anonKey,
      client: await accessToken(joao),
      administrator: await accessToken(office.admin),
      service: portaria.serviceRoleKey,
    };
  });

  const get = (path: string, caller: string, accept: string) =>
    fetch(portaria.url + path, {
      headers: { apikey: portaria.anonKey, authorization: `Bearer ${tokens[caller]}`, accept },
    });
  const read = async (api: string, caller: string): Promise<Document> => {
    const response = await get(api, caller, ACCEPT);
    expect(response.headers.get('content-type')).toBe(ACCEPT);
    return response.json();
  };

  const listed = async (api: string, caller: string) =>
    Object.entries((await read(api, caller)).paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => method !== 'parameters')
        .map((method) => `${method} ${path}`),
    );

  test.each(APIS)('%s is valid for every caller', async (api) => {
    for (const caller of Object.keys(tokens)) {
      const document = await read(api, caller);
      expect(await new Validator().validate(document)).toEqual({ valid: true });
      expect(document.openapi).toMatch(/^3\.1\./);
    }
  });

  test('lists only what the caller may use', async () => {
    expect(await listed('/rest/v1/', 'anonymous')).toEqual([]);
    const client = await listed('/rest/v1/', 'client');
    expect(client).toContain('post /tickets');
    expect(client).not.toContain('delete /tickets');
    expect(client).not.toContain('get /email_templates');
    expect(client.filter((name) => name.includes('/rpc/'))).toEqual([]);
    const administrator = await listed('/rest/v1/', 'administrator');
    expect(administrator).toEqual(
      expect.arrayContaining(['post /rpc/delete_folder', 'post /rpc/system_status']),
    );
    expect(await listed('/account/v1/', 'client')).toEqual([
      'get /calendar',
      'post /calendar',
      'delete /calendar',
      'put /calendar/payments',
      'delete /calendar/payments',
      'get /push',
      'post /push/devices',
      'delete /push/devices/{id}',
      'put /push/topics/{topic}',
      'delete /push/topics/{topic}',
      'get /export',
      'post /members',
      'patch /members/{id}',
      'delete /members/{id}',
      'post /members/{id}/invitation',
      'get /clients',
      'put /clients/active',
    ]);
    expect(await listed('/account/v1/', 'service')).toEqual([
      'get /clients/{id}/export',
      'get /inbox-tokens',
      'post /inbox-tokens',
      'delete /inbox-tokens/{id}',
      'get /documents/{id}/timeline',
      'post /documents/{id}/proof',
      'get /documents/{id}/links',
      'post /documents/{id}/links',
      'delete /documents/{id}/links/{link}',
      'post /members',
      'patch /members/{id}',
      'delete /members/{id}',
      'post /members/{id}/invitation',
    ]);
  });

  test.each(['client', 'administrator'])('describes the rows that a %s reads', async (caller) => {
    const { paths, components } = await read('/rest/v1/', caller);
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    let rows = 0;
    for (const path of Object.keys(paths).filter((name) => !name.startsWith('/rpc/'))) {
      const schema = { type: 'array', items: components.schemas[path.slice(1)], components };
      const answer: unknown[] = await (
        await get(`/rest/v1${path}?limit=50`, caller, 'application/json')
      ).json();
      expect(ajv.validate(schema, answer), `${path}: ${ajv.errorsText()}`).toBe(true);
      rows += answer.length;
    }
    expect(rows).toBeGreaterThan(5);
  });

  test('describes the state of the installation', async () => {
    const { paths, components } = await read('/rest/v1/', 'administrator');
    const pointer = '#/paths/~1rpc~1system_status/post/responses/200/content/application~1json/schema';
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    const report = await unwrap(office.admin.rpc('system_status', {}));
    const isValid = ajv.validate({ $ref: pointer, paths, components }, report);
    expect(ajv.errorsText()).toBe('No errors');
    expect(isValid).toBe(true);
    expect(report.checks.length).toBeGreaterThan(10);
  });

  test('the root stays OpenAPI 2.0 for the official client', async () => {
    const { data } = await office.admin.getOpenApiSpec();
    expect(data).toMatchObject({ swagger: '2.0', definitions: { documents: { type: 'object' } } });
    for (const accept of ['*/*', 'application/json']) {
      const response = await get('/rest/v1/', 'administrator', accept);
      expect(response.headers.get('content-type')).toContain('application/openapi+json');
      expect(await response.json()).toEqual(data);
    }
  });
});
