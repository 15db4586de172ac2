import {
  listErrorCodes,
  type OpenApiOperation,
  type Operation,
  OPERATIONS,
  RunListPageQuerySchema,
} from '@runledger/protocol'
import { OPERATION_PAGES, type OperationPage } from '../../operations/operation-pages'
import { RUN_LIST_MARKDOWN_PATH, RUN_MARKDOWN_PATH } from '../../operations/markdown-pages'
import { describePathParameters, describeQueryParameters, securityOf } from './describe-operation'
import type { JsonSchemas } from './json-schemas'
import type { OtherOperation } from './other-operation'

const MARKDOWN_ACCESS = 'User keys, station keys, and the session of the dashboard.'

export function describeMarkdownPages(schemas: JsonSchemas): [path: string, page: OtherOperation][] {
  return [
    [RUN_MARKDOWN_PATH, RUN_MARKDOWN],
    [RUN_LIST_MARKDOWN_PATH, describeRunListMarkdown(schemas)],
    ...OPERATION_PAGES.map((page): [string, OtherOperation] => [
      page.path,
      describeOperationMarkdown(page, schemas),
    ]),
  ]
}

const RUN_MARKDOWN: OtherOperation = {
  operationId: 'getRunMarkdown',
  tags: ['Runs'],
  summary: 'Get the page of a run as Markdown, for a shell or an assistant',
  description: `Begins with why it failed; at most about 60,000 characters, and says what is left out. ${MARKDOWN_ACCESS}`,
  parameters: describePathParameters(RUN_MARKDOWN_PATH),
  ok: { '200': { description: 'The run' } },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  security: securityOf(true, 'GET'),
}

function describeRunListMarkdown(schemas: JsonSchemas): OtherOperation {
  return {
    operationId: 'listRunsMarkdown',
    tags: ['Runs'],
    summary: 'Get the list of runs, or the page of a group, as Markdown',
    description: `Of a group counts, failed tests with their errors, flaky and slow ones first; at most some 60,000 characters. ${MARKDOWN_ACCESS}`,
    parameters: describeQueryParameters(schemas.read(RunListPageQuerySchema)),
    ok: { '200': { description: 'The runs' } },
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'],
    security: securityOf(true, 'GET'),
  }
}

function describeOperationMarkdown(
  { of, path, operation: operationId }: OperationPage,
  schemas: JsonSchemas,
): OtherOperation {
  const operation: Operation = OPERATIONS[of]
  const { tag, summary, params, query } = operation
  return {
    operationId,
    tags: [tag],
    summary: `${summary}, as Markdown`,
    description: `With the parameters of \`${of}\`; at most some 60,000 characters. ${MARKDOWN_ACCESS}`,
    parameters: [
      ...describePathParameters(path, params && schemas.read(params)),
      ...(query ? describeQueryParameters(schemas.read(query)) : []),
    ],
    ok: { '200': { description: 'The page' } },
    errors: listErrorCodes(operation),
    security: securityOf(true, 'GET'),
  }
}

export function inMarkdown(operation: OpenApiOperation): OpenApiOperation {
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    { ...response, content: { 'text/markdown': { schema: { type: 'string' } } } },
  ])
  return { ...operation, responses: Object.fromEntries(responses) as OpenApiOperation['responses'] }
}
