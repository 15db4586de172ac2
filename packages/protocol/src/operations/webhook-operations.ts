import * as z from 'zod'
import { IdResponseSchema } from '../resources/common'
import {
  CreatedWebhookSchema,
  CreateWebhookRequestSchema,
  ListWebhookDeliveriesQuerySchema,
  ListWebhooksQuerySchema,
  UpdateWebhookRequestSchema,
  WebhookDeliveryPageSchema,
  WebhookDeliverySchema,
  WebhookPageSchema,
  WebhookSchema,
} from '../resources/webhook'
import { IdSchema } from '../text-schema'
import type { Operation } from './operation'
import { ID_PARAMS } from './path-params'

const tag = 'Webhooks'

const DELIVERY_PARAMS = z.object({ id: IdSchema, delivery_id: IdSchema })

export const WEBHOOK_OPERATIONS = {
  listWebhooks: {
    tag,
    summary: 'List webhooks, newest first',
    access: 'user-key',
    role: 'admin',
    errors: [],
    query: ListWebhooksQuerySchema,
    response: WebhookPageSchema,
  },
  createWebhook: {
    tag,
    summary: 'Create a webhook; its signing secret is shown only in this response',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: CreateWebhookRequestSchema,
    response: CreatedWebhookSchema,
  },
  updateWebhook: {
    tag,
    summary: 'Change, enable or disable a webhook',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    body: UpdateWebhookRequestSchema,
    response: WebhookSchema,
  },
  deleteWebhook: {
    tag,
    summary: 'Delete a webhook and its deliveries',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: IdResponseSchema,
  },
  testWebhook: {
    tag,
    summary: 'Send a test message to a webhook',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: ID_PARAMS,
    response: WebhookDeliverySchema,
  },
  listWebhookDeliveries: {
    tag,
    summary: 'List the messages to a webhook, newest first',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    query: ListWebhookDeliveriesQuerySchema,
    response: WebhookDeliveryPageSchema,
  },
  retryWebhookDelivery: {
    tag,
    summary: 'Send a message to a webhook again',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: DELIVERY_PARAMS,
    response: WebhookDeliverySchema,
  },
} as const satisfies Record<string, Operation>
