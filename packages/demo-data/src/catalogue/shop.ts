import { parseSuites } from './parse-suites'
import type { Project } from './project'

/** A web shop, tested end to end with Playwright in four shards. */
export const SHOP: Project = {
  key: 'shop',
  procedure: { identifier: 'SHOP-E2E', name: 'Shop end to end' },
  package: '@acme/shop',
  version: '4.2',
  framework: 'playwright',
  frameworkVersions: ['1.54.2', '1.57.0'],
  node: 'v22.14.0',
  ci: { name: 'GitLab CI/CD', job: 'e2e', address: 'https://gitlab.example.com/acme/shop/-/jobs/' },
  repository: 'https://gitlab.example.com/acme/shop',
  folder: '',
  people: ['Mara Lindqvist', 'Tomás Herrera', 'Aiko Tanaka', 'Ben Okafor', 'Julia Weiss'],
  shards: 4,
  retries: 2,
  buildsPerDay: 1.7,
  durationsMs: [1200, 9000],
  areas: [
    'the cart drawer',
    'product images',
    'the checkout form',
    'vouchers',
    'the search box',
    'address suggestions',
    'the order history',
    'cookie consent',
  ],
  suites: parseSuites(`
tests/cart.spec.ts @acme/cart chromium
  Cart
    adds an item from the product page @smoke
    changes the quantity
    removes the last item
    keeps items after a reload
    shows the delivery date
    warns when an item sells out
    adds a gift note
    merges the guest cart after login
    limits the quantity to the stock
tests/checkout.spec.ts @acme/checkout chromium
  Checkout
    pays with a saved card @smoke
    pays with a new card @smoke
    pays by invoice
    refuses an expired card
    applies a voucher
    refuses a used voucher
    chooses a pickup point
    shows taxes for each country
    asks for 3-D Secure
    sends a confirmation
tests/search.spec.ts @acme/discovery chromium
  Search
    finds a product by its name @smoke
    suggests products while typing
    filters by price
    filters by colour and size
    sorts by rating
    shows what was searched before
    finds nothing and offers help
    corrects a typing error
  Categories
    opens a category from the menu
    loads more products while scrolling
tests/login.spec.ts @acme/accounts chromium
  Login
    signs in with a password @smoke
    keeps the session after a reload
    refuses a wrong password
    locks the account after five attempts
    resets the password by e-mail
    signs in with a passkey
    signs out everywhere
tests/account/addresses.spec.ts @acme/accounts chromium
  Addresses
    adds an address
    edits an address
    deletes an address
    makes an address the default
    checks the postal code
    suggests streets
tests/product.spec.ts @acme/discovery chromium
  Product page
    shows price and stock @smoke
    switches between pictures
    zooms into a picture
    shows reviews
    writes a review
    chooses a size from the table
    shows similar products
    notifies when back in stock | waits for the mail sandbox
    shares a link
tests/orders.spec.ts @acme/checkout chromium
  Orders
    lists orders, newest first
    opens an order
    cancels an order
    returns an item
    downloads the invoice
    tracks a parcel
    orders the same again
tests/wishlist.spec.ts @acme/cart chromium
  Wishlist
    saves a product for later
    moves a product to the cart
    removes a product
    shares the list
    shows a price drop
tests/admin.spec.ts @acme/backoffice chromium
  Back office
    creates a product
    changes a price
    imports products from CSV
    hides a product
    refunds an order
    exports orders
    shows sales of the week
    lets a clerk see no revenue
`),
}
