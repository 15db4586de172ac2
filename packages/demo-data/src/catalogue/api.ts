import { parseSuites } from './parse-suites'
import type { Project } from './project'

/** An HTTP API with its database, tested with Vitest. */
export const API: Project = {
  key: 'api',
  procedure: { identifier: 'ORDERS-API', name: 'Orders API' },
  package: '@acme/orders-api',
  version: '2.11',
  framework: 'vitest',
  frameworkVersions: ['3.2.4', '4.0.9'],
  node: 'v24.4.1',
  ci: {
    name: 'GitHub Actions',
    job: 'test',
    address: 'https://github.example.com/acme/orders-api/actions/runs/',
  },
  repository: 'https://github.example.com/acme/orders-api',
  folder: '',
  people: ['Priya Raman', 'Jonas Berg', 'Chloé Martin', 'Samuel Adeyemi'],
  shards: 1,
  retries: 1,
  buildsPerDay: 2.4,
  durationsMs: [8, 420],
  areas: [
    'order totals',
    'webhook signatures',
    'pagination',
    'stock reservations',
    'the rate limiter',
    'invoice numbers',
    'currency rounding',
    'the audit log',
  ],
  suites: parseSuites(`
test/orders.test.ts @acme/orders
  POST /orders
    creates an order
    answers 400 without items
    answers 409 for an idempotency key with another body
    locks stock while paying
    rounds totals to the cent
    stores the customer's language
    takes a voucher off the total
    charges taxes by country
  GET /orders/{id}
    answers the order with its items
    answers 404 for an unknown id
    hides orders of other customers
    answers an ETag
  GET /orders
    lists the newest first
    pages with a cursor
    filters by state
    filters by date
test/payments.test.ts @acme/payments
  Payments
    authorises a card
    captures an authorised amount
    captures a part of it
    refunds a payment
    refuses a second refund
    marks a declined card
    retries after a timeout of the provider
    stores no card number
    closes an authorisation after seven days
    converts currencies at the day's rate
test/webhooks.test.ts @acme/platform
  Webhooks
    delivers an event once
    signs the body
    refuses an old signature
    tries again after an error
    stops after 24 hours
    keeps the order of events
    disables an address that never answers
    lists deliveries
test/rate-limits.test.ts @acme/platform
  Rate limits
    lets the first 100 requests through
    answers 429 with Retry-After
    resets after the window
    counts each key by itself
    leaves health checks out
test/search.test.ts @acme/discovery
  Search
    finds by number
    finds by customer
    finds parts of a name
    ranks exact matches first
    searches 10,000 orders
    ignores accents
    escapes wildcards
    limits the length of a query
test/stock.test.ts @acme/orders
  Stock
    reserves on order
    releases on cancellation
    releases after 30 minutes
    never sells below zero
    counts returns
    warns below the minimum
    imports a delivery
    splits an order over warehouses
test/auth.test.ts @acme/platform
  Authentication
    takes a bearer token
    refuses an expired token
    refuses a token of another audience
    rotates signing keys
    answers the same for unknown and revoked keys
    writes failed attempts to the audit log
  Roles
    lets a clerk read orders
    lets a clerk refund up to 100 euros
    lets no clerk export customers
test/reports.test.ts @acme/finance
  Reports
    sums sales of a day
    sums sales of a month
    leaves test orders out
    groups by country
    exports CSV
    exports in the reader's time zone
    sends the weekly report | the mail server is not part of the tests
`),
}
