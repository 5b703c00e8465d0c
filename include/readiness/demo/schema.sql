-- An invented pay-later shop: a user buys from a merchant and pays in installments.
-- Valid on MySQL 5.7, 8, 9 and MariaDB 10.6 and later; run in an empty database.

ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;

CREATE TABLE merchants (
  id CHAR(26) NOT NULL PRIMARY KEY,
  name VARCHAR(120) NOT NULL,
  category_code CHAR(4) NOT NULL,
  status VARCHAR(16) NOT NULL DEFAULT 'active',
  risk_tier TINYINT UNSIGNED NOT NULL DEFAULT 1,
  fee_bps INT UNSIGNED NOT NULL,
  KEY ix_merchants_status (status)
);

CREATE TABLE merchant_settings (
  merchant_id CHAR(26) NOT NULL,
  name VARCHAR(60) NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (merchant_id, name),
  CONSTRAINT fk_settings_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id)
);

CREATE TABLE products (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  merchant_id CHAR(26) NOT NULL,
  sku VARCHAR(40) NOT NULL,
  title VARCHAR(200) NOT NULL,
  price_cents INT UNSIGNED NOT NULL,
  UNIQUE KEY uq_products_sku (merchant_id, sku),
  CONSTRAINT fk_products_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id)
);

CREATE TABLE inventory (
  product_id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  stock INT NOT NULL,
  reserved INT NOT NULL DEFAULT 0,
  CONSTRAINT fk_inventory_product FOREIGN KEY (product_id) REFERENCES products (id)
);

CREATE TABLE users (
  id CHAR(36) NOT NULL PRIMARY KEY,
  public_id VARCHAR(24) NOT NULL,
  email VARCHAR(190) NOT NULL,
  email_sha256 CHAR(64) NOT NULL,
  email_domain VARCHAR(120) NOT NULL,
  phone VARCHAR(20) NOT NULL,
  first_name VARCHAR(80) NOT NULL,
  last_name VARCHAR(80) NOT NULL,
  search_name VARCHAR(170) NOT NULL,
  date_of_birth DATE NOT NULL,
  status VARCHAR(16) NOT NULL DEFAULT 'pending',
  version INT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  UNIQUE KEY uq_users_public_id (public_id),
  UNIQUE KEY uq_users_email (email),
  KEY ix_users_email_sha256 (email_sha256),
  KEY ix_users_phone (phone),
  KEY ix_users_name_birth (last_name, date_of_birth)
);

CREATE TABLE user_addresses (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  user_id CHAR(36) NOT NULL,
  line1 VARCHAR(160) NOT NULL,
  city VARCHAR(80) NOT NULL,
  region CHAR(2) NOT NULL,
  postal_code VARCHAR(12) NOT NULL,
  country CHAR(2) NOT NULL DEFAULT 'US',
  is_default TINYINT(1) NOT NULL DEFAULT 0,
  KEY ix_addresses_postal_code (postal_code),
  CONSTRAINT fk_addresses_user FOREIGN KEY (user_id) REFERENCES users (id)
);

CREATE TABLE devices (
  id BINARY(16) NOT NULL PRIMARY KEY,
  user_id CHAR(36) NOT NULL,
  fingerprint CHAR(40) NOT NULL,
  ip_address VARBINARY(16) NOT NULL,
  user_agent VARCHAR(255) NOT NULL,
  last_seen_at DATETIME(6) NOT NULL,
  KEY ix_devices_fingerprint (fingerprint),
  CONSTRAINT fk_devices_user FOREIGN KEY (user_id) REFERENCES users (id)
);

CREATE TABLE user_sessions (
  token CHAR(64) NOT NULL PRIMARY KEY,
  user_id CHAR(36) NOT NULL,
  data MEDIUMTEXT NOT NULL,
  expires_at DATETIME NOT NULL,
  KEY ix_sessions_expires_at (expires_at),
  CONSTRAINT fk_sessions_user FOREIGN KEY (user_id) REFERENCES users (id)
);

CREATE TABLE otp_codes (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  phone VARCHAR(20) NOT NULL,
  code CHAR(6) NOT NULL,
  is_used TINYINT(1) NOT NULL DEFAULT 0,
  expires_at DATETIME NOT NULL,
  KEY ix_otp_phone (phone, is_used)
);

CREATE TABLE rate_limits (
  bucket VARCHAR(120) NOT NULL PRIMARY KEY,
  hits INT NOT NULL,
  window_start DATETIME NOT NULL
);

CREATE TABLE payment_methods (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  user_id CHAR(36) NOT NULL,
  brand VARCHAR(12) NOT NULL,
  card_token VARCHAR(40) NOT NULL,
  card_last4 CHAR(4) NOT NULL,
  card_hash BINARY(32) NOT NULL,
  exp_month TINYINT UNSIGNED NOT NULL,
  exp_year SMALLINT UNSIGNED NOT NULL,
  holder VARCHAR(170) NOT NULL,
  UNIQUE KEY uq_methods_token (card_token),
  UNIQUE KEY uq_methods_card (user_id, card_hash),
  CONSTRAINT fk_methods_user FOREIGN KEY (user_id) REFERENCES users (id)
);

CREATE TABLE checkouts (
  id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  token CHAR(26) NOT NULL,
  merchant_id CHAR(26) NOT NULL,
  user_id CHAR(36) NULL,
  order_ref VARCHAR(40) NOT NULL,
  state VARCHAR(16) NOT NULL,
  amount_cents INT UNSIGNED NOT NULL,
  currency CHAR(3) NOT NULL DEFAULT 'USD',
  payload JSON NULL,
  version INT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  UNIQUE KEY uq_checkouts_token (token),
  UNIQUE KEY uq_checkouts_order (merchant_id, order_ref),
  CONSTRAINT fk_checkouts_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id),
  CONSTRAINT fk_checkouts_user FOREIGN KEY (user_id) REFERENCES users (id)
);

CREATE TABLE checkout_items (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  checkout_id BIGINT UNSIGNED NOT NULL,
  product_id BIGINT UNSIGNED NOT NULL,
  sku VARCHAR(40) NOT NULL,
  quantity INT UNSIGNED NOT NULL,
  unit_price_cents INT UNSIGNED NOT NULL,
  tax_ratio DECIMAL(6,4) NOT NULL,
  CONSTRAINT fk_items_checkout FOREIGN KEY (checkout_id) REFERENCES checkouts (id),
  CONSTRAINT fk_items_product FOREIGN KEY (product_id) REFERENCES products (id)
);

CREATE TABLE checkout_events (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  checkout_id BIGINT UNSIGNED NOT NULL,
  event VARCHAR(40) NOT NULL,
  data JSON NULL,
  created_at DATETIME(6) NOT NULL,
  KEY ix_events_checkout (checkout_id, created_at),
  CONSTRAINT fk_events_checkout FOREIGN KEY (checkout_id) REFERENCES checkouts (id)
);

CREATE TABLE credit_applications (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  uuid CHAR(36) NOT NULL,
  user_id CHAR(36) NOT NULL,
  checkout_id BIGINT UNSIGNED NOT NULL,
  requested_cents INT UNSIGNED NOT NULL,
  income_cents BIGINT UNSIGNED NULL,
  state VARCHAR(16) NOT NULL,
  decision_hash CHAR(64) NULL,
  lock_version INT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  UNIQUE KEY uq_applications_uuid (uuid),
  CONSTRAINT fk_applications_user FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT fk_applications_checkout FOREIGN KEY (checkout_id) REFERENCES checkouts (id)
);

CREATE TABLE credit_reports (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  application_id BIGINT UNSIGNED NOT NULL,
  bureau VARCHAR(16) NOT NULL,
  bureau_ref VARCHAR(40) NOT NULL,
  score SMALLINT UNSIGNED NOT NULL,
  raw MEDIUMBLOB NULL,
  pulled_at DATETIME(6) NOT NULL,
  UNIQUE KEY uq_reports_ref (bureau, bureau_ref),
  CONSTRAINT fk_reports_application FOREIGN KEY (application_id) REFERENCES credit_applications (id)
);

CREATE TABLE fraud_checks (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  application_id BIGINT UNSIGNED NOT NULL,
  device_id BINARY(16) NOT NULL,
  score DECIMAL(6,4) NOT NULL,
  signals JSON NULL,
  created_at DATETIME(6) NOT NULL,
  CONSTRAINT fk_fraud_application FOREIGN KEY (application_id) REFERENCES credit_applications (id),
  CONSTRAINT fk_fraud_device FOREIGN KEY (device_id) REFERENCES devices (id)
);

CREATE TABLE offers (
  id CHAR(36) NOT NULL PRIMARY KEY,
  application_id BIGINT UNSIGNED NOT NULL,
  installments TINYINT UNSIGNED NOT NULL,
  apr DECIMAL(6,4) NOT NULL,
  installment_cents INT UNSIGNED NOT NULL,
  state VARCHAR(12) NOT NULL,
  expires_at DATETIME NOT NULL,
  CONSTRAINT fk_offers_application FOREIGN KEY (application_id) REFERENCES credit_applications (id)
);

CREATE TABLE loans (
  id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  loan_number VARCHAR(32) NOT NULL,
  user_id CHAR(36) NOT NULL,
  merchant_id CHAR(26) NOT NULL,
  checkout_id BIGINT UNSIGNED NOT NULL,
  offer_id CHAR(36) NOT NULL,
  principal_cents INT UNSIGNED NOT NULL,
  state VARCHAR(16) NOT NULL,
  version INT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  UNIQUE KEY uq_loans_number (loan_number),
  UNIQUE KEY uq_loans_checkout (checkout_id),
  CONSTRAINT fk_loans_user FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT fk_loans_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id),
  CONSTRAINT fk_loans_checkout FOREIGN KEY (checkout_id) REFERENCES checkouts (id),
  CONSTRAINT fk_loans_offer FOREIGN KEY (offer_id) REFERENCES offers (id)
);

CREATE TABLE installments (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  loan_id BIGINT UNSIGNED NOT NULL,
  seq TINYINT UNSIGNED NOT NULL,
  due_on DATE NOT NULL,
  amount_cents INT UNSIGNED NOT NULL,
  is_paid TINYINT(1) NOT NULL DEFAULT 0,
  UNIQUE KEY uq_installments_seq (loan_id, seq),
  KEY ix_installments_due (due_on, is_paid),
  CONSTRAINT fk_installments_loan FOREIGN KEY (loan_id) REFERENCES loans (id)
);

CREATE TABLE payments (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  loan_id BIGINT UNSIGNED NOT NULL,
  installment_id BIGINT UNSIGNED NOT NULL,
  amount_cents INT UNSIGNED NOT NULL,
  reference VARCHAR(40) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  UNIQUE KEY uq_payments_reference (reference),
  CONSTRAINT fk_payments_loan FOREIGN KEY (loan_id) REFERENCES loans (id),
  CONSTRAINT fk_payments_installment FOREIGN KEY (installment_id) REFERENCES installments (id)
);

CREATE TABLE ledger_accounts (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  kind VARCHAR(12) NOT NULL,
  merchant_id CHAR(26) NULL,
  balance_cents BIGINT NOT NULL DEFAULT 0,
  version INT NOT NULL DEFAULT 0,
  UNIQUE KEY uq_accounts_merchant (merchant_id),
  CONSTRAINT fk_accounts_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id)
);

CREATE TABLE ledger_entries (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  transfer_id CHAR(36) NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  amount_cents BIGINT NOT NULL,
  reference VARCHAR(40) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  KEY ix_entries_transfer (transfer_id),
  KEY ix_entries_reference (reference),
  CONSTRAINT fk_entries_account FOREIGN KEY (account_id) REFERENCES ledger_accounts (id)
);

CREATE TABLE idempotency_keys (
  idem_key CHAR(64) NOT NULL PRIMARY KEY,
  scope VARCHAR(40) NOT NULL,
  response TEXT NULL,
  created_at DATETIME NOT NULL
);

CREATE TABLE outbox (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  topic VARCHAR(60) NOT NULL,
  aggregate_id VARCHAR(64) NOT NULL,
  payload JSON NOT NULL,
  is_published TINYINT(1) NOT NULL DEFAULT 0,
  KEY ix_outbox_aggregate (aggregate_id)
);

CREATE TABLE email_queue (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  to_address VARCHAR(190) NOT NULL,
  subject VARCHAR(200) NOT NULL,
  body TEXT NOT NULL,
  send_after DATETIME NOT NULL
);

CREATE TABLE audit_log (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  actor VARCHAR(64) NOT NULL,
  action VARCHAR(60) NOT NULL,
  target VARCHAR(120) NOT NULL,
  details TEXT NULL,
  created_at DATETIME(6) NOT NULL,
  KEY ix_audit_target (target)
);

CREATE TABLE feature_flags (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(60) NOT NULL,
  is_enabled TINYINT(1) NOT NULL,
  UNIQUE KEY uq_flags_name (name)
);

CREATE TABLE job_locks (
  name VARCHAR(60) NOT NULL PRIMARY KEY,
  holder VARCHAR(60) NULL,
  locked_until DATETIME NULL
);
