# Rscript control-constants.R: n, d2 and d3 for control-constants.ts, by Tippett's integrals.
mean_range <- function(n)
  integrate(function(x) 1 - pnorm(x)^n - pnorm(-x)^n, -Inf, Inf, rel.tol = 1e-13, subdivisions = 2000)$value
mean_square <- function(n) {
  inner <- function(x) sapply(x, function(x) integrate(
    function(y) 1 - pnorm(x)^n - pnorm(-y)^n + (pnorm(x) - pnorm(y))^n, -12, x, rel.tol = 1e-12, subdivisions = 2000)$value)
  2 * integrate(inner, -12, 12, rel.tol = 1e-11, subdivisions = 2000)$value
}
for (n in 2:25) {
  d2 <- mean_range(n)
  cat(n, format(d2, digits = 12), format(sqrt(mean_square(n) - d2^2), digits = 11), '\n')
}
