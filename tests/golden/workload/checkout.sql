-- One captured flow in replayable form. Its values are invented or sampled; none was captured.
-- A plain client runs it once:  mariadb DATABASE < checkout.sql
-- The load engine reads the lines that begin with "-- @" and writes new values into the
-- statements for each checkout. An "@gen" line says how such a value is made.
-- @workload checkout  schema_version: 1  captures: 3  statements: 5  transactions: 2
-- @counts  literals: 12  generated: 8
SET NAMES utf8mb4 COLLATE utf8mb4_unicode_ci;

-- New in each checkout
-- @gen user_id_0 fresh uuid4 users.id
SET @user_id_0 = '5f1c3a90-0000-4000-8000-00000001';
-- @gen user_email_0 fresh email(28) users.email
SET @user_email_0 = 'q.x@mail.example';
-- @gen device_id_0 fresh binary16 devices.id
SET @device_id_0 = x'00ff';
-- @gen order_ref_0 fresh pattern(ORD-AXXXXX) orders.ref
SET @order_ref_0 = 'ORD-QX1Y2Z';
-- @gen amount_0 fresh integer(1000..99999) orders.cents
SET @amount_0 = 4711;

-- Rows that the target has
-- @sample merchant_id_0 existing merchants  weight: loans.merchant_id  forms: number
SELECT `id` INTO @merchant_id_0 FROM `merchants`
  WHERE (SELECT COUNT(*) FROM `products` WHERE `products`.`merchant_id` = `merchants`.`id`) > 1
  ORDER BY `id` LIMIT 1 OFFSET 0;
-- @sample sku_0 existing products
SELECT `sku` INTO @sku_0 FROM `products`
  WHERE `merchant_id` = @merchant_id_0
  ORDER BY `sku` LIMIT 1 OFFSET 0;
-- @sample sku_1 existing products
SELECT `sku` INTO @sku_1 FROM `products`
  WHERE `merchant_id` = @merchant_id_0
  ORDER BY `sku` LIMIT 1 OFFSET 1;

-- Worked out from these, or from the time
-- @derive email_hash_0 derived text users.email_hash
SET @email_hash_0 = SHA2(LOWER(@user_email_0), 256);
-- @derive due_0 time text loans.due
SET @due_0 = CURDATE() + INTERVAL 14 DAY;

-- writes users, loans
-- @statement s001  -- @transaction 1
BEGIN;
-- @statement s002  -- @pause 4.1ms
INSERT INTO users (id, email, email_hash, device) VALUES (@user_id_0, @user_email_0, @email_hash_0, @device_id_0);
-- @statement s003  -- @pause 0.25ms
INSERT INTO loans (user_id, merchant_id, cents, due, note) VALUES (@user_id_0, @merchant_id_0, @amount_0, @due_0, '100%; really');
-- @bind loan_id_0 server number loans.id
SET @loan_id_0 = LAST_INSERT_ID();
-- @derive payload_0 derived text events.payload
SET @payload_0 = CONCAT('{"loan": ', @loan_id_0, ', "ref": "', @order_ref_0, '"}');
-- @statement s004  -- @pause 1ms
COMMIT;

-- @statement s005  -- @connection 2  -- @transaction 0
INSERT INTO events (payload, a, b) VALUES (@payload_0, @sku_0, @sku_1);
