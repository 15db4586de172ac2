export interface OpenApiDocument {
  openapi: string
  info: {
    title: string
    version: string
    description: string
    license?: { name: string; identifier: string }
  }
  servers: readonly { url: string; description: string }[]
  tags: readonly { name: string; description?: string }[]
  paths: Readonly<Record<string, OpenApiPath>>
  components: {
    schemas: Readonly<Record<string, JsonSchema>>
    securitySchemes: Readonly<Record<string, unknown>>
  }
}

export type OpenApiMethod = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head'
export type OpenApiPath = { readonly [Method in OpenApiMethod]?: OpenApiOperation }

export interface OpenApiOperation {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  parameters?: readonly OpenApiParameter[]
  requestBody?: { required: boolean; content: OpenApiContent }
  responses: Readonly<Record<string, OpenApiResponse>>
  security: readonly Readonly<Record<string, readonly string[]>>[]
}

export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

export interface OpenApiResponse {
  description: string
  headers?: Readonly<Record<string, { description: string; schema: JsonSchema }>>
  content?: OpenApiContent
}

export type OpenApiContent = Readonly<Record<string, { schema: JsonSchema }>>

/** A JSON Schema of draft 2020-12, as far as our schemas become one. */
export interface JsonSchema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  format?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  additionalProperties?: boolean | JsonSchema
  propertyNames?: JsonSchema
  items?: JsonSchema
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  allOf?: readonly JsonSchema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  [keyword: string]: unknown
}

/**
 * Describes a schema that JSON Schema cannot be made from, such as a transformation:
 * `schema.meta(describedAs({ type: 'boolean' }))`. The rest of its metadata is kept.
 */
export function describedAs(description: JsonSchema): { describedAs: JsonSchema } {
  return { describedAs: description }
}
