-- One captured flow in replayable form. Its values are invented or sampled; none was captured.
-- A plain client runs it once:  mariadb DATABASE < basket.sql
-- The load engine reads the lines that begin with "-- @" and writes new values into the
-- statements for each checkout. An "@gen" line says how such a value is made.
-- A statement or row marked "@turn" runs where the checkout drew a count that reaches it; a plain
-- client runs them all.
-- @workload basket  schema_version: 1  captures: 3  statements: 17  transactions: 3
-- @repeat order_items_0  counts: 1 2 3
-- @tables `order items`: 91bc0a2d
-- @tables products: 3f2a9c11

-- New in each checkout
-- @gen order_ref_0 fresh pattern(ORD-AXXXXX) orders.ref
SET @order_ref_0 = 'ORD-QX1';

-- Rows that the target has
-- @sample sku_0 existing products
SELECT `sku` INTO @sku_0 FROM `products`
  ORDER BY `sku` LIMIT 1 OFFSET 0;
-- @sample sku_1 existing products
SELECT `sku` INTO @sku_1 FROM `products`
  ORDER BY `sku` LIMIT 1 OFFSET 1;
-- @sample sku_2 existing products
SELECT `sku` INTO @sku_2 FROM `products`
  ORDER BY `sku` LIMIT 1 OFFSET 2;

-- writes order_items, products
-- @statement s001  -- @transaction 1  -- @shape 00000001
BEGIN;
-- @statement s002  -- @pause 1ms  -- @shape 00000002
INSERT INTO order_items (ref, sku) VALUES (@order_ref_0, @sku_0)/* @turn order_items_0 2 */, (@order_ref_0, @sku_1)/* @end *//* @turn order_items_0 3 */, (@order_ref_0, @sku_2)/* @end */;
-- @statement s003  -- @turn order_items_0 1  -- @pause 2ms  -- @shape 00000003
SELECT stock FROM products WHERE sku = @sku_0 FOR UPDATE;
-- @statement s004  -- @turn order_items_0 1  -- @shape 00000004
UPDATE products SET stock = stock - 1 WHERE sku = @sku_0;
-- @statement s005  -- @turn order_items_0 2  -- @pause 2ms  -- @shape 00000003
SELECT stock FROM products WHERE sku = @sku_1 FOR UPDATE;
-- @statement s006  -- @turn order_items_0 2  -- @shape 00000004
UPDATE products SET stock = stock - 1 WHERE sku = @sku_1;
-- @statement s007  -- @turn order_items_0 3  -- @pause 2ms  -- @shape 00000003
SELECT stock FROM products WHERE sku = @sku_2 FOR UPDATE;
-- @statement s008  -- @turn order_items_0 3  -- @shape 00000004
UPDATE products SET stock = stock - 1 WHERE sku = @sku_2;
-- @statement s009  -- @shape 00000005
COMMIT;

-- writes notes
-- @statement s010  -- @transaction 2  -- @turn order_items_0 2
BEGIN;
-- @statement s011  -- @turn order_items_0 2
INSERT INTO notes (text) VALUES ('/* @turn order_items_0 2 */');
-- @bind note_id_1 server number notes.id
SET @note_id_1 = LAST_INSERT_ID();
-- @statement s012  -- @turn order_items_0 2
SELECT text FROM notes WHERE id = @note_id_1;
-- @statement s013  -- @turn order_items_0 2
COMMIT;

-- writes notes
-- @statement s014  -- @transaction 3  -- @turn order_items_0 3
BEGIN;
-- @statement s015  -- @turn order_items_0 3
INSERT INTO notes (text) VALUES ('/* @turn order_items_0 2 */');
-- @bind note_id_2 server number notes.id
SET @note_id_2 = LAST_INSERT_ID();
-- @statement s016  -- @turn order_items_0 3
SELECT text FROM notes WHERE id = @note_id_2;
-- @statement s017  -- @turn order_items_0 3
COMMIT;
